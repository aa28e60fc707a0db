"""The tables of docs/triage.md: loads and what they are found as, rules, signals, and what is sent.

`make readme` writes them; tests run the loads, so that the table says what was found.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from respmark.escaping import markdown as escaped
from respmark.escaping import markdown_table
from respmark.paths import CHECKOUT
from respmark.specs.triage import RuleSpec, Severity
from respmark.triage.asking import READS
from respmark.triage.signals import KNOWN
from tools.triage_loads.loads import LOADS

PAGE: Final[Path] = CHECKOUT / "docs" / "triage.md"


def sections(rules: Sequence[RuleSpec]) -> dict[str, str]:
    """Return the text of each section that is made, by the name of its marks."""
    return {"loads": _loads(), "rules": _rules(rules), "signals": _signals(), "reads": _reads()}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return f"\n{markdown_table(heads, rows)}\n"


def _loads() -> str:
    rows = [[one.name, one.does, ", ".join(f"`{name}`" for name in one.finds) or "nothing"] for one in LOADS]
    return _table(["load", "what it does", "found"], rows)


def _rules(rules: Sequence[RuleSpec]) -> str:
    order = list(Severity)
    rows = [
        [
            f"[`{rule.id}`](../harness/specs/triage/{rule.id}.toml)",
            rule.severity,
            escaped(rule.title),
            "<br>".join(f"`{one.words}`: {escaped(one.why)}" for one in rule.when),
        ]
        for rule in sorted(rules, key=lambda one: (order.index(one.severity), one.id))
    ]
    return _table(["rule", "severity", "what is wrong", "thresholds, and why"], rows)


def _signals() -> str:
    rows = [[str(of), f"`{name}`", escaped(words)] for of, signals in KNOWN.items() for name, words in signals.items()]
    return _table(["of", "signal", "what it is"], rows)


def _reads() -> str:
    return "\n" + ", ".join(f"`{name}`" for name in sorted(READS)) + "\n\n"
