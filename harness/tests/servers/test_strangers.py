"""The keys of others, on a server that the run did not start: whatever happens to it, and in whatever order."""

from collections.abc import Collection
from typing import Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from respmark.errors import ServerError, ServerLostError
from respmark.machine.guardian import Guardian, Kind
from respmark.servers import cluster, own_keys
from respmark.servers.own_keys import OwnKeys
from respmark.servers.preload import PreloadedKeys
from respmark.servers.state import DatabaseState
from respmark.workload.workload import preload_sizes
from tests.builders.plan import tiny_spec, tiny_workload
from tests.fake_node import FakeControl, FakeNode
from tests.fakes import FakeServer

WORKLOADS: Final = {"tiny": tiny_workload(), "other": tiny_workload(name="other", key_prefix="another:")}
OURS: Final = {name: {one.key(number) for number in range(one.header.preload_keys)} for name, one in WORKLOADS.items()}
NAMES: Final = sorted({*OURS["tiny"], *OURS["other"], b"user:1", b"key:", b"key:1", b"key:0001x", b"another:00009"})
"""That somebody may give a key: names of the run's before it has written any, and what begins like them."""


class Holding(Guardian):
    """Remembers what it would remove if the run were killed now."""

    def __init__(self) -> None:
        self.held: list[OwnKeys] = []

    def protect(self, _kind: Kind, what: str | int | list[str]) -> None:
        self.held.append(OwnKeys.model_validate_json(str(what)))

    def release(self, _kind: Kind, what: str | int | list[str]) -> None:
        self.held.remove(OwnKeys.model_validate_json(str(what)))

    @property
    def names(self) -> set[bytes]:
        """Return the names of the keys that it would remove."""
        return {name for own in self.held for batch in own.batches() for name in batch}


class Cut(FakeControl):
    """Loses its connection after so many commands."""

    left: int | None = None

    def command(self, *words: str | bytes | int) -> object:
        """Answer, unless the connection is lost."""
        if self.left == 0:
            raise ServerLostError("the connection was lost")
        self.left = None if self.left is None else self.left - 1
        return super().command(*words)


class Strangers(RuleBasedStateMachine):
    """A run restores its keys, while others write, delete and flush, and the server refuses, vanishes or restarts."""

    def __init__(self) -> None:
        super().__init__()
        self.node, self.guardian = FakeNode(), Holding()
        self.theirs: dict[bytes, bytes] = {}
        self.is_over = False
        """The run has stopped: nothing comes any more but its end."""
        self.is_restarted = False
        keys = [PreloadedKeys(one, preload_sizes(tiny_spec(), 1)) for one in WORKLOADS.values()]
        self.state = DatabaseState(keys, self.guardian)
        self.server = FakeServer(Cut(self.node), spawned=False)
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(cluster, "Control", lambda _endpoint: Cut(self.node))
        self.patch.setattr(own_keys, "PAUSE_S", 0)

    @initialize(workloads=st.sets(st.sampled_from(sorted(WORKLOADS))))
    def the_run_begins(self, workloads: Collection[str]) -> None:
        """Usually in an empty database, as it has to be: with no workload, somebody may be there first."""
        if workloads:
            self.a_block_begins(workloads)

    @rule(name=st.sampled_from(NAMES), value=st.binary(max_size=3))
    def somebody_writes(self, name: bytes, value: bytes) -> None:
        """A new key, or one of theirs; the run's own names are known to be its own once it has taken them."""
        taken = {own for claim, mine in OURS.items() if self.state._claims[claim].own is not None for own in mine}
        if self.is_restarted or name not in taken:
            self.node.data[name] = self.theirs[name] = value

    @rule(number=st.integers(0, 30))
    def somebody_deletes(self, number: int) -> None:
        """Any key, perhaps one of the run's."""
        if names := sorted(self.node.data):
            name = names[number % len(names)]
            del self.node.data[name]
            self.theirs.pop(name, None)

    @rule()
    def somebody_flushes(self) -> None:
        self.node.data.clear()
        self.theirs.clear()

    @rule(is_up=st.booleans(), refuses=st.booleans())
    def the_server_changes(self, *, is_up: bool, refuses: bool) -> None:
        """It cannot be reached, or is short of memory, until a block has met with that."""
        self.node.up, self.node.refusal = is_up, b"-OOM command not allowed\r\n" if refuses else None

    @rule(commands=st.integers(0, 6))
    def the_connection_is_about_to_be_lost(self, commands: int) -> None:
        control = self.server.control
        assert isinstance(control, Cut)
        control.left = commands

    @precondition(lambda self: not self.is_restarted)
    @rule()
    def the_server_restarts(self) -> None:
        """It comes back empty and as another one, to which no run goes on."""
        self.node.restart()
        self.theirs.clear()
        self.is_restarted = self.is_over = True

    @rule()
    def evidence_shows_others(self) -> None:
        self.state.dirty()

    @precondition(lambda self: not self.is_over)
    @rule(workloads=st.sets(st.sampled_from(sorted(WORKLOADS)), min_size=1))
    def a_block_begins(self, workloads: Collection[str]) -> None:
        """All of its keys are there, and those of no other workload; or the run is told why not."""
        try:
            self.state.restore(self.server, workloads)
        except ServerError as error:
            self.is_over = "whose names this run generated" in str(error)
            self.server.control = Cut(self.node)
            self.node.up, self.node.refusal = True, None
        else:
            wanted = {name for one in workloads for name in OURS[one]}
            assert self.node.data.keys() == self.theirs.keys() | wanted

    @invariant()
    def no_key_of_others_is_changed_or_gone(self) -> None:
        assert {name: self.node.data.get(name) for name in self.theirs} == self.theirs

    @invariant()
    def every_key_of_ours_would_be_removed_if_the_run_were_killed(self) -> None:
        assert self.node.data.keys() - self.theirs.keys() <= self.guardian.names

    def teardown(self) -> None:
        """End the run, with the server as it should be: what is left is theirs."""
        self.node.up, self.node.refusal = True, None
        self.server.control = Cut(self.node)
        self.state.close()
        assert self.node.data == self.theirs
        assert self.is_restarted or not self.guardian.held
        self.patch.undo()


TestStrangers = Strangers.TestCase
TestStrangers.settings = settings(stateful_step_count=20)  # what a run meets: fifty would be minutes on a busy machine
