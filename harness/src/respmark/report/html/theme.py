"""Colours and type of the page's charts, light and dark; they stand in `page/charts.json`, with the charts.

A language has a hue and a symbol; its clients have shades of the hue, and dashes. Hues are those of Okabe and Ito
("Color universal design", 2008), which colour-blind readers can tell apart, darkened or lightened for a contrast of 3:1
or more.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

PAGE: Final = Path(__file__).parent / "page"
DATA: Final[dict[str, Any]] = json.loads((PAGE / "charts.json").read_text(encoding="utf-8"))
DASHES: Final = ((1, 0), (6, 3), (2, 2))
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Look:
    """How a client is drawn everywhere."""

    light: str
    dark: str
    symbol: str
    dash: tuple[int, int]


def looks(languages: Iterable[str]) -> list[Look]:
    """Return the look of each client; `languages` are the clients' languages, in the order of the clients."""
    seen: Counter[str] = Counter()
    found = []
    for language in languages:
        hue = DATA["hues"].get(language, DATA["hues"][""])
        turn, shade = divmod(seen[hue["symbol"]], len(DASHES))
        seen[hue["symbol"]] += 1
        dash = DASHES[(shade + turn) % len(DASHES)]  # the fourth of a language must not look like its first
        found.append(Look(hue["light"][shade], hue["dark"][shade], hue["symbol"], dash))
    return found


def config(found: Sequence[Look], *, dark: bool = False, font: str = FONT) -> dict[str, Any]:
    """Return Vega-Lite's configuration; the looks are in the order of the scales' domains."""
    colours = DATA["dark"] if dark else DATA["light"]
    clients = {
        "$category": [look.dark if dark else look.light for look in found],
        "$symbol": [look.symbol for look in found],
    }
    made: dict[str, Any] = filled(DATA["config"], {**colours, **clients, "$font": font})
    return made


def filled(part: Any, named: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any part of a spec
    """Return a part of a spec with what the names with a dollar in it stand for."""
    if isinstance(part, list):
        return [filled(one, named) for one in part]
    if isinstance(part, dict):
        return {key: filled(one, named) for key, one in part.items()}
    return named.get(part, part) if isinstance(part, str) else part
