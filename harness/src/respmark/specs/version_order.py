"""The order of versions: by their dotted numbers."""

import re


def numbers(version: str) -> tuple[int, ...]:
    """Return the first dotted number in a text: (20, 11, 1) for "v20.11.1-dev", () for "distribution"."""
    found = re.search(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()
