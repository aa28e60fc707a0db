"""What the runner prints: lines of JSON."""

import json
from base64 import b64encode
from typing import Any


def say(name: str, fields: Any) -> None:
    """Print one line, at once."""
    print(json.dumps({name: fields}, default=as_json), flush=True)


def encoded(reply: Any) -> Any:
    """Return a reply in a form in which JSON keeps a map's fields, whatever they are."""
    return {"map": list(reply.items())} if isinstance(reply, dict) else reply


def as_json(reply: Any) -> Any:
    """Return what JSON has for a reply that it does not know."""
    if isinstance(reply, set | frozenset):
        return list(reply)
    return {"bytes": b64encode(reply).decode()} if isinstance(reply, bytes) else str(reply)
