"""The rules that a watch is judged by: those of `specs/triage`, and a user's own files."""

from collections.abc import Iterable
from pathlib import Path

from respmark.errors import InvalidRequestError
from respmark.specs.catalogue import Catalogue, check
from respmark.specs.toml import read_toml
from respmark.specs.triage import RuleSpec, check_rules
from respmark.triage.signals import KNOWN


def rules_of(catalogue: Catalogue, more: Iterable[Path] = ()) -> tuple[RuleSpec, ...]:
    """Return the rules, each named after its file; raises SpecError for one that is not valid."""
    paths = [*sorted((catalogue.folder / "triage").glob("*.toml")), *more]
    if not paths:
        raise InvalidRequestError(f"{catalogue.folder / 'triage'} has no rules; name some with --rule")
    if wrong := [path for path in paths if path.suffix != ".toml"]:
        raise InvalidRequestError(f"--rule {wrong[0]}: a rule is a .toml file")
    found = [(path, check(path, {**read_toml(path), "id": path.stem}, RuleSpec)) for path in paths]
    return check_rules(found, {of: frozenset(signals) for of, signals in KNOWN.items()})
