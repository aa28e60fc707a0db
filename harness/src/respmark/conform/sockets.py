"""Notes where a library asks the kernel for other things than the version of it that was measured last."""

from collections.abc import Iterable

from respmark.conform.verdicts import CaseVerdict
from respmark.contract.trial import Scenario
from respmark.machine.sockets import Sockets
from respmark.specs.sockets import LibrarySockets


def sockets_note(verdicts: Iterable[CaseVerdict], measured: LibrarySockets | None) -> str | None:
    """Return what a client asks for that is different; None if nothing is, if it has options, or if it is not known."""
    seen = next((found for one in verdicts if (found := _seen(one))), ())
    if measured is None or not seen or _settings(seen) == _settings(measured.sockets):
        return None
    before = f"{measured.version}, the newest version measured: {'; '.join(_settings(measured.sockets))}"
    return f"asks the kernel for {'; '.join(_settings(seen))} ({before})"


def _seen(verdict: CaseVerdict) -> tuple[Sockets, ...]:
    cell = verdict.case.cell
    is_as_measured = cell.scenario is Scenario.SYNC and "[" not in cell.client.name
    return verdict.sockets if is_as_measured else ()


def _settings(sockets: Iterable[Sockets]) -> list[str]:
    return sorted({str(one.settings) for one in sockets})
