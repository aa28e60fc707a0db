"""What became of a trial: what each of several hosts did."""

from respmark.contract.lines import Moment, Worked
from respmark.kinds.loops.outcome import shares_of
from respmark.runners.protocol import HostLoad, OnHost
from tests.builders.plan import make_cell

SECOND_NS = 10**9


def answer(units: int) -> Worked:
    from_, to = Moment(0, 0, 0), Moment(SECOND_NS, SECOND_NS // 4, SECOND_NS // 4)
    return Worked(
        started=from_, measured_from=from_, ended=to, lead_in=[0], measured=[units], errors={}, first_error=None
    )


def on(name: str, busy_ns: int, own_ns: int, lasted_ns: int = SECOND_NS) -> OnHost:
    return OnHost(name, is_here=False, clock_error_ns=1000, load=HostLoad(lasted_ns, busy_ns, own_ns))


def test_a_host_has_what_its_processes_did_and_what_others_used_of_it_meanwhile() -> None:
    """Each process saw all that its host's processors did: twice 0.3 s of its own, and 0.2 s of others."""
    hosts = [on("a", 8 * 10**8, 3 * 10**8), on("b", 10**8, 10**8), on("a", 8 * 10**8, 3 * 10**8)]
    first, second = shares_of(make_cell(), hosts, [(answer(5), answer(7), answer(6))])
    assert (first.host, first.processes, first.operations, first.other_cpu_percent) == ("a", 2, 11, 20.0)
    assert (second.host, second.processes, second.operations, second.other_cpu_percent) == ("b", 1, 7, 0.0)
    assert (first.elapsed_ns, first.client_cpu_ns) == (SECOND_NS, SECOND_NS)


def test_what_the_kernel_of_a_host_does_not_say_is_not_known() -> None:
    (share,) = shares_of(make_cell(), [on("a", 0, 0, lasted_ns=0)], [(answer(5),)])
    assert share.other_cpu_percent is None
