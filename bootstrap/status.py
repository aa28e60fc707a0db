"""Whether a language can be used, and if not why and what to do. The harness reads these files for its tables."""

import json
from dataclasses import asdict, dataclass
from typing import Literal

from bootstrap.layout import Layout


@dataclass(frozen=True)
class Status:
    """How the set-up of a language ended, or of one environment of it (`python@redis-py-3.5.3`)."""

    language: str
    state: Literal["ready", "missing"] = "ready"
    sentence: str = ""
    """Why it is missing, in the package manager's own words."""
    advice: str = ""
    """What to do, so that it is there the next time."""

    @property
    def is_missing(self) -> bool:
        """Tell whether it cannot be used."""
        return self.state == "missing"


def write(statuses: tuple[Status, ...], layout: Layout) -> None:
    """Write each whole or not at all, and take away those of languages and environments that are no more."""
    folder = layout.status("any").parent
    folder.mkdir(parents=True, exist_ok=True)
    for status in statuses:
        _write(status, layout)
    names = {f"{status.language}.json" for status in statuses}
    for path in folder.glob("*.json"):
        if path.name not in names:
            path.unlink()


def _write(status: Status, layout: Layout) -> None:
    path = layout.status(status.language)
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(asdict(status), indent=2, ensure_ascii=False) + "\n")
    draft.replace(path)
