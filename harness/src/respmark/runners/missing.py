"""What set-up says of clients that cannot be run here."""

import json
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.specs.client import Client
from respmark.specs.runner import RunnerSpec

NOT_YET: Final = "not installed yet"


def not_set_up(client: Client, spec: RunnerSpec, build: Path | None = None) -> str | None:
    """Return why set-up has not made what the client needs, and what to do; None if it has, or has nothing to make."""
    made = build or paths.build()
    for name in (f"{client.runner}@{client.installation}", client.runner):
        if "sentence" in (status := _status(made / "status" / f"{name}.json")):
            return f"{status['sentence']}; {status.get('advice', spec.advice)}"
    if spec.setup and not (made / client.runner / client.installation).exists():
        return f"{NOT_YET}; `respmark run` installs it, and so does: respmark setup {client.installed}"
    return None


def _status(path: Path) -> dict[str, str]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
