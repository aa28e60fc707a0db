"""Versions whose installation failed: they are not tried again in every set-up, only when a user asks for one by name.

A failure holds for what was tried: another command, adapter, tool or runner, and the version is tried again. Where the
package manager did not reach its registry, nothing is remembered.
"""

import re
from pathlib import Path
from typing import Final

from respmark.setup.host import Missing, SetupHost
from respmark.setup.steps import shown
from respmark.specs.runner import StepSpec

UNREACHED: Final = re.compile(
    r"(?i)timed? ?out|time-?out|resolve host|name resolution|dns|connect|network|unreachable|offline|not in the cache|"
    r"ENOTFOUND|EAI_AGAIN|ECONN|socket|TLS|certificate|NU1301|no space left"
)
"""What package managers say of registries out of reach, and of full disks: it may be otherwise in a minute."""


def check_not_failed(step: StepSpec, stamp: str, client: str, host: SetupHost) -> None:
    """Raise Missing with the reason of the last attempt if it was made of just what is here now."""
    kept = _file(step, host)
    known, _, reason = kept.read_text().partition("\n\n") if kept.is_file() else ("", "", "")
    if known == stamp.strip():
        log = shown(host.log(step.name))
        raise Missing(reason, f"It was not tried again. See {log}; to try again, type: respmark setup {client}")


def remember(step: StepSpec, stamp: str, reason: str, host: SetupHost) -> None:
    """Keep why the step failed, unless a registry was out of reach."""
    kept = _file(step, host)
    kept.unlink(missing_ok=True)
    if not UNREACHED.search(reason):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(f"{stamp.strip()}\n\n{reason}")


def forget(step: StepSpec, host: SetupHost) -> None:
    """Remove what is kept: the step succeeded."""
    _file(step, host).unlink(missing_ok=True)


def _file(step: StepSpec, host: SetupHost) -> Path:
    return host.build / "failed" / step.name
