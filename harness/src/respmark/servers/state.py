"""The database's state before a block: the keys of its workload and, on a server that is ours, nothing else."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from respmark.errors import AnotherServerError, ServerError
from respmark.machine.guardian import Guardian
from respmark.servers.control import Control
from respmark.servers.info import keys_in, used_memory
from respmark.servers.own_keys import OwnKeys, left_behind, present, remove, taken
from respmark.servers.preload import PreloadedKeys, check_commands
from respmark.servers.server import Server
from respmark.servers.url import address

LEAST_KEYS: Final = 1_000
"""With fewer, what else a server allocates meanwhile is too much for each of them."""
SHOWN: Final = 5
"""The most keys that a message names."""


class Claim:
    """The key names of one workload on a server that the run did not start.

    They are free before the first write, written by nobody else, and gone at the end. Only what we wrote is known to be
    ours: the names are drawn at random, the database is empty before the run's first write, and the first write of each
    name leaves an existing key as it is.
    """

    def __init__(self, keys: PreloadedKeys, guardian: Guardian | None) -> None:
        self._keys = keys
        self._guardian = guardian
        self.own: OwnKeys | None = None
        """Keys with these names may be there; the guardian knows of them."""
        self._is_whole = False
        """Every name has been written by us."""

    def write(self, server: Server, *, changed: bool) -> bool:
        """Write every key, or with `changed` what commands may have changed; return whether it was every key."""
        if self._is_whole and changed:
            self._keys.write_changed(server.control)
            return False
        if self._is_whole:
            self._keys.write_all(server.control)
        else:
            self._take(server)
        return True

    def _take(self, server: Server) -> None:
        if self.own is None:
            header = self._keys.workload.header
            own = OwnKeys(
                endpoint=server.endpoint,
                others=server.others,
                run_ids=server.known_run_ids,
                prefix=header.key_prefix,
                digits=header.key_digits,
                count=header.preload_keys,
            )
            # Before anything is written: if a write is lost half-way, nobody knows any more which of them are ours.
            if names := taken(own, server.control):
                raise _not_ours(own, names)
            self._protect(own)
        else:
            # The first load was cut short: what it wrote is removed by name, and everything is written again.
            own = self.own
            remove(own, server.control)
        if existing := self._probe(server.control) or self._keys.write_all(server.control, only_new=True):
            # These names belong to somebody else: nobody removes those keys.
            self._protect(own.model_copy(update={"existing": own.existing | set(existing)}))
            raise _not_ours(own, [own.name(number) for number in existing])
        self._is_whole = True

    def _probe(self, control: Control) -> list[int]:
        """Write and delete one key of ours, or fail before anything is written; return its number if it exists."""
        key = self._keys.workload.key(0)
        node = control.holding(key)
        if node.command("SET", key, "", "NX") is None:
            return [0]
        node.command("UNLINK", key)
        return []

    def is_there(self, control: Control) -> bool:
        """Return whether every key is there."""
        return self.own is not None and present(self.own, control) == len(self._keys)

    def give_back(self, known: Control | None) -> None:
        """Remove every key that was written; if that fails, they stay protected. For `known`, see `remove`."""
        if self.own is not None:
            self._is_whole = False
            remove(self.own, known)
            self._protect(None)

    def _protect(self, own: OwnKeys | None) -> None:
        """Have the guardian remove these keys if the run is killed, and those before no longer."""
        before, self.own = self.own, own
        if self._guardian is not None and before is not None:
            self._guardian.release("keys", before.model_dump_json())
        if self._guardian is not None and own is not None:
            self._guardian.protect("keys", own.model_dump_json())


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

    def __init__(
        self,
        keys: Sequence[PreloadedKeys],
        guardian: Guardian | None = None,
        note: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """`keys` are those of each workload; `guardian` removes those that are there if the run is killed.

        `note` is called with what the user should know.
        """
        self._keys = {one.name: one for one in keys}
        self._claims = {one.name: Claim(one, guardian) for one in keys}
        self._loaded: frozenset[str] = frozenset()
        """The workloads whose keys are known to be there."""
        self._run_ids: frozenset[str] | None = None
        """The `run_id` of each node of the server that is not ours and that has, or had, keys of ours."""
        self._known: Control | None = None
        """The last connection that led to that server."""
        self._database = ""
        self.unexpected_keys = 0
        """The most keys besides ours that were in the database before a block."""
        self.bytes_per_key: dict[str, float] = {}
        """Memory of a server of ours for a key of each workload that was written whole, with its value."""
        self.note = note

    def of_another(self) -> "DatabaseState":
        """Return the state of another server, which the run has just started for the same workloads."""
        return DatabaseState(list(self._keys.values()), note=self.note)

    def dirty(self) -> None:
        """Forget what is known: the next restore writes every key."""
        self._loaded = frozenset()

    def restore(self, server: Server, workloads: Collection[str] | None = None) -> None:
        """Restore the database's state for a block of these workloads, by name; None: of all."""
        wanted = [one for name, one in self._keys.items() if workloads is None or name in workloads]
        loaded, self._loaded = self._loaded, frozenset()
        restore = self._restore_ours if server.spawned else self._restore_beside_others
        restore(server, wanted, loaded)
        self._loaded = _names(wanted)

    def close(self) -> None:
        """Remove our keys from a server that the run did not start; say so if that fails."""
        for claim in self._claims.values():
            if (own := claim.own) is not None:
                try:
                    claim.give_back(self._known)
                except ServerError as error:
                    self.note(left_behind(own, error))

    @property
    def remarks(self) -> list[str]:
        """Return what a reader of the run's results should know."""
        if not self.unexpected_keys:
            return []
        remark = (
            f"{self._database} held up to {self.unexpected_keys:,} keys that this run did not write; they were left "
            "alone. A trial fails if anyone else uses the server meanwhile: the server's counters show it"
        )
        return [remark]

    def _restore_ours(self, server: Server, wanted: Sequence[PreloadedKeys], loaded: frozenset[str]) -> None:
        if loaded == _names(wanted):
            for one in wanted:
                one.write_changed(server.control)
            if keys_in(server.control) == _number(wanted):
                return
        server.flush()
        before = used_memory(server.control)
        for one in wanted:
            one.write_all(server.control)
            before = self._note_memory(one, before, used_memory(server.control))
        _more_keys(server.control, _number(wanted), exactly=True)

    def _note_memory(self, keys: PreloadedKeys, before: int | None, after: int | None) -> int | None:
        """Keep what the keys of a workload have added, if they are many; return what the next ones are added to."""
        if before is not None and after is not None and len(keys) >= LEAST_KEYS:
            self.bytes_per_key[keys.name] = (after - before) / len(keys)
        return after

    def _restore_beside_others(self, server: Server, wanted: Sequence[PreloadedKeys], loaded: frozenset[str]) -> None:
        server.check_address()
        self._check_server(server)
        for name in self._claims.keys() - _names(wanted):
            self._claims[name].give_back(server.control)
        are_whole = [self._claims[one.name].write(server, changed=one.name in loaded) for one in wanted]
        for one, is_whole in zip(wanted, are_whole, strict=True):
            # As many keys as there should be may be some of others in place of some of ours: they are looked up.
            if not is_whole and not self._claims[one.name].is_there(server.control):
                one.write_all(server.control)
        self._tell_others(server, _more_keys(server.control, _number(wanted)))

    def _check_server(self, server: Server) -> None:
        if self._run_ids is None:
            for one in self._keys.values():
                check_commands(one.workload)
            server.make_room()
            self._run_ids = server.known_run_ids
        elif server.run_ids != self._run_ids:
            raise AnotherServerError(f"the run's keys were not written to the server at {address(server.endpoint)}")
        self._known = server.control

    def _tell_others(self, server: Server, number: int) -> None:
        is_first = number and not self.unexpected_keys
        self._database = f"database {server.endpoint.database} of the server at {address(server.endpoint)}"
        self.unexpected_keys = max(self.unexpected_keys, number)
        if is_first:
            self.note(*self.remarks)


def _not_ours(own: OwnKeys, names: Sequence[bytes]) -> ServerError:
    shown = ", ".join(name.decode() for name in names[:SHOWN])
    return ServerError(
        f"{address(own.endpoint)} has {len(names):,} keys whose names this run generated for its own keys: {shown}; "
        "they were left alone. Start the run again: it generates other names"
    )


def _more_keys(control: Control, written: int, *, exactly: bool = False) -> int:
    """Return how many keys there are besides those that were written; refuse fewer, or with `exactly` any other."""
    found = keys_in(control)
    if found < written or (exactly and found != written):
        raise ServerError(
            f"the server at {address(control.endpoint)} holds {found:,} keys after {written:,} were written; is it "
            "short of memory (maxmemory with eviction), or does someone else write to it?"
        )
    return found - written


def _names(keys: Collection[PreloadedKeys]) -> frozenset[str]:
    return frozenset(one.name for one in keys)


def _number(keys: Collection[PreloadedKeys]) -> int:
    return sum(map(len, keys))
