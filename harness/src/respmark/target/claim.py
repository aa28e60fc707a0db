"""The names of a workload's keys on a server that the run did not start, from before the first write until removal."""

from collections.abc import Callable
from typing import Final

from respmark.errors import AnotherServerError, TargetError
from respmark.target.control import Control
from respmark.target.guardian import Guardian
from respmark.target.own_keys import OwnKeys, left_behind, remove, remove_over, removing_command
from respmark.target.target import Target
from respmark.target.url import address
from respmark.workload.workload import Workload

SHOWN: Final = 5
"""The most keys that a message names."""


class Claim:
    """The key names of one workload: free before the first write, written by nobody else, and gone at the end.

    Only what we wrote is known to be ours. The names are therefore drawn at random, the database is empty before the
    run's first write, and the first write of each name leaves an existing key as it is.
    """

    def __init__(self, workload: Workload, guardian: Guardian | None) -> None:
        self._workload = workload
        self._guardian = guardian
        self._keys: OwnKeys | None = None
        self.is_whole = False
        """Every name has been written by us."""

    @property
    def is_taken(self) -> bool:
        """Return whether keys with these names may be there."""
        return self._keys is not None

    def take(self, target: Target, write_new: Callable[[Control], list[int]]) -> None:
        """Take the names; `write_new` writes every key that is not there, and returns the numbers of those that are."""
        if self._keys is None:
            self._protect(self._names(target))
        else:
            # The first load was cut short: what it wrote is removed by name, and everything is written again.
            remove(self._keys)
        if existing := self._probe(target.control) or write_new(target.control):
            raise self._given_up(target, existing)
        self.is_whole = True

    def give_back(self) -> None:
        """Remove every key that was written, because another workload is next; if that fails, they stay protected."""
        if self._keys is not None:
            self.is_whole = False
            remove(self._keys)
            self._unprotect()

    def release(self, known: Control) -> str | None:
        """Remove every key that was written, at the run's end; return a sentence if that failed.

        `known` is a connection that led to the server that has the keys. A new one is tried first, as that one may owe
        replies.
        """
        if self._keys is None:
            return None
        try:
            self._remove(self._keys, known)
        except TargetError as error:
            return left_behind(self._keys, error)
        self._unprotect()
        return None

    def _remove(self, keys: OwnKeys, known: Control) -> None:
        try:
            remove(keys)
        except AnotherServerError as elsewhere:
            try:
                remove_over(known, keys)
            except TargetError:
                raise elsewhere from None

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
        """Write and delete one key of ours, or fail before anything is written; return its number if it exists."""
        key = self._workload.key(0)
        if control.command("SET", key, "", "NX") is None:
            return [0]
        removing_command(control, key)
        return []

    def _given_up(self, target: Target, existing: list[int]) -> TargetError:
        """Let go of names that belong to somebody else, so that nobody removes those keys."""
        keys = self._unprotect()
        self._protect(keys.model_copy(update={"existing": keys.existing | set(existing)}))
        names = ", ".join(keys.name(number).decode() for number in existing[:SHOWN])
        return TargetError(
            f"{address(target.endpoint)} has {len(existing):,} keys with names that this run drew for its own: "
            f"{names}; they are left as they are. Start the run again: it draws other names"
        )

    def _protect(self, keys: OwnKeys) -> None:
        self._keys = keys
        if self._guardian is not None:
            self._guardian.protect("keys", keys.model_dump_json())

    def _unprotect(self) -> OwnKeys:
        assert self._keys is not None  # noqa: S101 - names are protected before anything is written
        keys, self._keys = self._keys, None
        if self._guardian is not None:
            self._guardian.release("keys", keys.model_dump_json())
        return keys
