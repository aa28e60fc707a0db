"""The database's state before a block: the keys of its workload and, on a server that is ours, nothing else."""

from collections.abc import Callable, Collection, Sequence

from respmark.errors import AnotherServerError, TargetError
from respmark.target.claim import Claim
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.permitted import check_commands
from respmark.target.preload import PreloadedKeys
from respmark.target.target import Target
from respmark.target.url import address


class DatabaseState:
    """Restores the database's state, and knows what trials may have changed since.

    The database holds the keys of the block's workloads, and none of the run's others: no figure depends on what else a
    suite has, and the server needs memory for the largest block, not for all. Before the first block of a workload, or
    after a block of another one, every key is written; after that, only what its commands may have changed. If evidence
    shows a command that was not the run's, `dirty` is called: then every key is written at the next restore. The number
    of keys is compared each time.

    A server that the run started is emptied if the number of keys is wrong, or another workload's keys are there. On
    any other server, only the run's own keys are ever deleted, by their names: keys of others stay, and are reported.
    """

    def __init__(self, keys: Sequence[PreloadedKeys], guardian: Guardian | None = None) -> None:
        """`keys` are those of each workload; `guardian` removes those that are there if the run is killed."""
        self._keys = {one.name: one for one in keys}
        self._claims = {one.name: Claim(one.workload, guardian) for one in keys}
        self._loaded: frozenset[str] = frozenset()
        """The workloads whose keys are known to be there."""
        self._run_id: str | None = None
        """The `run_id` of the server that is not ours and that has, or had, keys of ours."""
        self._known: Control
        """The last connection that led to that server."""
        self._database = ""
        self.unexpected_keys = 0
        """The most keys besides ours that were in the database before a block."""
        self.note: Callable[[str], None] = lambda _text: None
        """Called with what the user should know."""

    def dirty(self) -> None:
        """Forget what is known: the next restore writes every key."""
        self._loaded = frozenset()

    def restore(self, target: Target, workloads: Collection[str] | None = None) -> None:
        """Restore the database's state for a block of these workloads, by name; None: of all."""
        wanted = [one for name, one in self._keys.items() if workloads is None or name in workloads]
        loaded, self._loaded = self._loaded, frozenset()
        restore = self._restore_ours if target.spawned else self._restore_beside_others
        restore(target, wanted, loaded)
        self._loaded = _names(wanted)

    def close(self) -> None:
        """Remove our keys from a server that the run did not start; say so if that fails."""
        for claim in self._claims.values():
            if claim.is_taken and (sentence := claim.release(self._known)):
                self.note(sentence)

    @property
    def remarks(self) -> list[str]:
        """Return what a reader of the run's results should know."""
        if not self.unexpected_keys:
            return []
        remark = (
            f"{self._database} held up to {self.unexpected_keys:,} keys that this run did not write; they are left "
            "alone. A trial during which somebody else uses the server fails: the server's counters show it"
        )
        return [remark]

    def _restore_ours(self, target: Target, wanted: Sequence[PreloadedKeys], loaded: frozenset[str]) -> None:
        if loaded == _names(wanted):
            for one in wanted:
                one.write_changed(target.control)
            if target.control.command("DBSIZE") == _number(wanted):
                return
        target.flush()
        for one in wanted:
            one.write_all(target.control)
        _more_keys(target.control, _number(wanted), exactly=True)

    def _restore_beside_others(self, target: Target, wanted: Sequence[PreloadedKeys], loaded: frozenset[str]) -> None:
        target.check_address()
        self._check_server(target)
        for name in self._claims.keys() - _names(wanted):
            self._claims[name].give_back()
        are_whole = [self._write_beside_others(target, one, loaded) for one in wanted]
        if not all(are_whole) and target.control.command("DBSIZE") != _number(wanted):
            # A key of ours may be missing among those of others.
            for one in wanted:
                one.write_all(target.control)
        self._tell_others(target, _more_keys(target.control, _number(wanted)))

    def _check_server(self, target: Target) -> None:
        if self._run_id is None:
            for one in self._keys.values():
                check_commands(one.workload)
            target.make_room()
            self._run_id = target.known_run_id
        elif target.run_id != self._run_id:
            raise AnotherServerError(
                f"the run's keys were written to another server than the one at {address(target.endpoint)}"
            )
        self._known = target.control

    def _write_beside_others(self, target: Target, keys: PreloadedKeys, loaded: frozenset[str]) -> bool:
        """Write a workload's keys, as new ones if they are not ours yet; return whether every key was written."""
        claim = self._claims[keys.name]
        if not claim.is_whole:
            claim.take(target, lambda control: keys.write_all(control, only_new=True))
        elif keys.name not in loaded:
            keys.write_all(target.control)
        else:
            keys.write_changed(target.control)
            return False
        return True

    def _tell_others(self, target: Target, number: int) -> None:
        is_first = number and not self.unexpected_keys
        self._database = f"database {target.endpoint.database} of the target at {address(target.endpoint)}"
        self.unexpected_keys = max(self.unexpected_keys, number)
        if is_first:
            self.note(*self.remarks)


def _more_keys(control: Control, written: int, *, exactly: bool = False) -> int:
    """Return how many keys there are besides those that were written; refuse fewer, or with `exactly` any other."""
    found: int = control.command("DBSIZE")
    if found < written or (exactly and found != written):
        raise TargetError(
            f"the target at {address(control.endpoint)} holds {found:,} keys after {written:,} were written; is it "
            "short of memory (maxmemory with eviction), or does someone else write to it?"
        )
    return found - written


def _names(keys: Collection[PreloadedKeys]) -> frozenset[str]:
    return frozenset(one.name for one in keys)


def _number(keys: Collection[PreloadedKeys]) -> int:
    return sum(map(len, keys))
