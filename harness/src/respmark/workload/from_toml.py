"""A workload as its section of a TOML file says it: `command = "MSET 10*(key value)"`, `value_bytes = 4096`."""

import re
import shlex
from collections.abc import Mapping
from typing import Any, Final

Section = Mapping[str, Any]
ARGUMENT: Final = re.compile(r"(?P<kind>key|value)(?:\+(?P<offset>\d+))?")
"""Any other word of a command is a text."""
TIMES: Final = re.compile(r"(?<!\S)(?P<count>\d+)\*\((?P<words>[^()]*)\)")


def expanded(section: Section) -> dict[str, Any]:
    """Return a section in the words of `WorkloadSpec`, for sections that are like it."""
    found = dict(section)
    if "command" in found:
        found["mix"] = [{"command": found.pop("command")}]
    if "holds" in found:
        found["structures"] = [{"kind": found.pop("holds")}]
    if "value_bytes" in found:
        size = found.pop("value_bytes")
        one_size = {"mean_bytes": size, "standard_deviation_bytes": 0, "min_bytes": size, "max_bytes": size}
        found["sizes"] = {**found.get("sizes", {}), **one_size}
    return found


def completed(section: Section) -> dict[str, Any]:
    """Return an expanded section with what it leaves out: all keys are those that are preloaded."""
    found = dict(section)
    preloaded = found.get("preload_keys")
    keys = found.pop("keys", preloaded)
    found["mix"] = [_kind(one, keys) if _has_command(one) else one for one in found.get("mix", ())]
    found["structures"] = [{"keys": preloaded, **one} for one in found.get("structures", ())]
    return found


def _has_command(given: object) -> bool:
    return isinstance(given, dict) and isinstance(given.get("command"), str)


def _kind(given: Section, keys: object) -> dict[str, Any]:
    name, *arguments = shlex.split(TIMES.sub(_repeated, given["command"])) or [""]
    has_key = any(map(ARGUMENT.fullmatch, arguments))
    others = {key: value for key, value in given.items() if key != "command"}
    return {
        "name": name,
        "share": 1,
        "keys": keys if has_key else 1,
        "arguments": list(map(_argument, arguments)),
        **others,
    }


def _repeated(found: re.Match[str]) -> str:
    words = found["words"].split()
    return " ".join(f"{word}+{number}" for number in range(int(found["count"])) for word in words)


def _argument(word: str) -> dict[str, Any]:
    found = ARGUMENT.fullmatch(word)
    if found is None:
        return {"kind": "literal", "text": word}
    return {"kind": found["kind"], "offset": int(found["offset"] or 0)}
