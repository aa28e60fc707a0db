"""What is kept of INFO: no paths, no words of scripts, no passwords."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from respmark.redaction import redacted
from respmark.servers.info import parse_info

LEFT_OUT: Final = frozenset({"config_file", "executable"})
ERROR_CODE: Final = re.compile(r"errorstat_[A-Z][A-Z0-9_]{0,31}")
"""A field for an error; a script may begin its own errors with any word, which is left out."""
COUNTER: Final = re.compile(r"[a-z][a-z0-9_|-]*|-?[\d.]+[%KMGTB]?|[a-z_]+=-?[\d.]+(?:,[a-z_]+=-?[\d.]+)*")
"""A name of a counter, or what it says."""


def kept(info: str) -> dict[str, str]:
    """Return the fields of INFO that are kept."""
    fields = parse_info(info)
    return {_without_secrets(name): _without_secrets(value) for name, value in fields.items() if _is_kept(name)}


def _without_secrets(word: str) -> str:
    """Return a name or value without passwords; counters are none, even where a password is a digit."""
    return word if COUNTER.fullmatch(word) else redacted(word)


def _is_kept(name: str) -> bool:
    return name not in LEFT_OUT and (not name.startswith("errorstat_") or ERROR_CODE.fullmatch(name) is not None)


def as_counted(sent: Mapping[str, int], info: Mapping[str, str]) -> dict[str, int]:
    """Return commands by the names that INFO counts them under; before Redis 7.0, all of a container are one."""
    found: Counter[str] = Counter()
    for name, count in sent.items():
        whole = name.lower().replace(" ", "|")
        found[whole if f"cmdstat_{whole}" in info else whole.partition("|")[0]] += count
    return dict(found)
