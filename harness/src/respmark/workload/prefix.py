"""The names of a run's keys: a prefix drawn anew for each of its workloads, before the workload's own prefix."""

import hashlib
import secrets
from dataclasses import replace
from typing import Final

from respmark.workload.columns import content
from respmark.workload.file import Workload

RUN_PREFIX: Final = "respmark:"


def draw_prefix(*, one_slot: bool = False) -> str:
    """Return a new prefix, `respmark:` and eight hexadecimal digits; with `one_slot` they are a cluster's hash tag."""
    digits = secrets.token_hex(4)
    return f"{RUN_PREFIX}{{{digits}}}:" if one_slot else f"{RUN_PREFIX}{digits}:"


def with_prefix(workload: Workload, prefix: str) -> Workload:
    """Return the same commands, on keys with this prefix before the workload's own."""
    return _renamed(workload, prefix + workload.header.key_prefix)


def digest(workload: Workload, key_prefix: str) -> str:
    """Return the SHA-256 of its file as if keys had this prefix: the same for every run of the same commands."""
    return hashlib.sha256(content(_renamed(workload, key_prefix))).hexdigest()


def _renamed(workload: Workload, key_prefix: str) -> Workload:
    return replace(workload, header=workload.header.model_copy(update={"key_prefix": key_prefix}))
