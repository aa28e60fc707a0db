"""The names that a run takes on a server that it did not start: from before its first write to their removal."""

from collections.abc import Callable
from typing import Final, Protocol

from respmark.errors import AnotherServerError, TargetError
from respmark.target.control import Control
from respmark.target.own_keys import OwnKeys, left_behind, remove, remove_over, removing_command
from respmark.target.permitted import check_commands
from respmark.target.target import Target
from respmark.target.url import address
from respmark.workload.file import Workload

SHOWN: Final = 5
"""Keys that a message names at most."""


class KeyGuardian(Protocol):
    """Whoever removes the keys when the run cannot do it any more."""

    def protect_keys(self, keys: str) -> None:
        """Remove these when the run ends."""

    def release_keys(self, keys: str) -> None:
        """Forget keys that are gone."""


class Claim:
    """The run's names: free before its first write, written by nobody else, and gone at its end.

    Nothing is known to be ours but what we wrote. So the names are drawn at random for each run, the database is empty
    when they are taken, and the first write of each is one that leaves an existing key as it is.
    """

    def __init__(self, workload: Workload, guardian: KeyGuardian | None) -> None:
        self._workload = workload
        self._guardian = guardian
        self._keys: OwnKeys | None = None
        self._known: Control
        """The last connection that led to the server with our keys."""
        self.whole = False
        """Every name has been written by us."""

    def take(self, target: Target, write_new: Callable[[Control], list[int]]) -> None:
        """Take the names: `write_new` writes every key that does not exist, and returns the numbers of those that do.

        Raises:
            TargetError: the database holds keys, the server refuses, or a name was taken already.
            InvalidRequestError: the workload may change other keys.
        """
        check_commands(self._workload)
        if self._keys is None:
            target.make_room()
            self._known = target.control
            self._protect(self._names(target))
        else:
            # The first load was cut short: what it wrote is removed by name, and all is written again.
            self.check(target)
            remove(self._keys)
        existing = self._probe(target.control) or write_new(target.control)
        if existing:
            self._give_up(target, existing)
        self.whole = True

    def check(self, target: Target) -> None:
        """Refuse a server that is not the one on which the names were taken.

        Raises:
            AnotherServerError: it is another.
        """
        if self._keys is not None and self._keys.run_id != target.run_id:
            message = f"the run's keys were written to another server than the one at {address(target.endpoint)}"
            raise AnotherServerError(message)
        self._known = target.control

    def release(self) -> str | None:
        """Remove every key that the run wrote; return a sentence where that did not succeed."""
        if self._keys is None:
            return None
        keys = self._keys
        try:
            self._remove(keys)
        except TargetError as error:
            return left_behind(keys, error)
        self._unprotect()
        return None

    def _remove(self, keys: OwnKeys) -> None:
        """Remove the keys over a new connection: on ours, replies may be due; it serves where the name leads away."""
        try:
            remove(keys)
        except AnotherServerError as error:
            try:
                remove_over(self._known, keys)
            except TargetError:
                raise error from None

    def _names(self, target: Target) -> OwnKeys:
        header = self._workload.header
        return OwnKeys(
            endpoint=target.endpoint,
            run_id=target.known_run_id,
            prefix=header.key_prefix,
            digits=header.key_digits,
            count=header.preload_keys,
        )

    def _probe(self, control: Control) -> list[int]:
        """Write and delete one key of ours: who may not do that must not begin; return its number if it exists."""
        key = self._workload.key(0)
        if control.command("SET", key, "", "NX") is None:
            return [0]
        removing_command(control, key)
        return []

    def _give_up(self, target: Target, existing: list[int]) -> None:
        """Let go of names that are somebody else's, so that nobody removes those keys, and stop."""
        assert self._keys is not None  # noqa: S101 - names are protected before anything is written
        keys = self._keys
        self._unprotect()
        self._protect(keys.model_copy(update={"existing": keys.existing | set(existing)}))
        names = ", ".join(keys.name(number).decode() for number in existing[:SHOWN])
        message = (
            f"{address(target.endpoint)} has {len(existing):,} keys with names that this run drew for its own: "
            f"{names}; they are left as they are. Start the run again: it draws other names"
        )
        raise TargetError(message)

    def _protect(self, keys: OwnKeys) -> None:
        self._keys = keys
        if self._guardian is not None:
            self._guardian.protect_keys(keys.model_dump_json())

    def _unprotect(self) -> None:
        if self._guardian is not None and self._keys is not None:
            self._guardian.release_keys(self._keys.model_dump_json())
        self._keys = None
