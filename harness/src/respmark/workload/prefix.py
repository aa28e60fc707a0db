"""The names of a run's keys: a prefix drawn anew for each of its workloads, before the workload's own prefix."""

import hashlib
import secrets
from dataclasses import replace
from typing import Final

from respmark.workload.file import Workload, content

RUN_PREFIX: Final = "respmark:"
RUN_BYTES: Final = 4


def draw_prefix(*, one_slot: bool = False) -> str:
    """Return a prefix that no other run or workload has: `respmark:`, eight hexadecimal digits, a colon.

    With `one_slot` the digits are a hash tag, so that a cluster has all keys with this prefix in one slot.
    """
    digits = secrets.token_hex(RUN_BYTES)
    return f"{RUN_PREFIX}{{{digits}}}:" if one_slot else f"{RUN_PREFIX}{digits}:"


def with_prefix(workload: Workload, prefix: str) -> Workload:
    """Return the same commands, on keys with this prefix before the workload's own."""
    header = workload.header.model_copy(update={"key_prefix": prefix + workload.header.key_prefix})
    return replace(workload, header=header)


def digest(workload: Workload, key_prefix: str) -> str:
    """Return a workload's SHA-256 as if its keys had this prefix: the same for every run of the same commands."""
    header = workload.header.model_copy(update={"key_prefix": key_prefix})
    return hashlib.sha256(content(replace(workload, header=header))).hexdigest()
