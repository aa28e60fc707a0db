"""The languages, as data: one TOML file each, with the fields that are described here; unknown fields are refused.

Paths are relative to the checkout's root. A step with `each`, which is a glob or a list of names, is done once for each
match or name: `{name}` is replaced with the name, or with what each `*` stands for, joined with `-`; `{path}` with the
path that matched. A step with `requirements` instead of commands is a Python environment; its project is installed in
it, unless `editable = false`.
"""

import re
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LANGUAGES = {path.stem: path for path in sorted(Path(__file__).parent.glob("*.toml"))}
# Not a virtual environment's: the harness's own, first on PATH, would be removed while it is being made.
PYTHON = shlex.quote(str(Path(sys.executable).resolve()))
Form = dict[str, Any]


@dataclass(frozen=True)
class Wheel:
    """Tools in a Python wheel: a hashed pin `bootstrap/<name>.txt`, unpacked into `.build/<folder>`."""

    name: str
    folder: str
    commands: Mapping[str, str]
    """Each command's name, and where in the wheel it is."""


@dataclass(frozen=True)
class Need:
    """Commands that must be on the machine and belong together, and the ways to install them if they are not."""

    commands: tuple[str, ...]
    """All must be there; the version required is that of the first."""
    minimum: tuple[int, ...]
    packages: tuple[str, ...]
    """The Debian packages that provide them; the version that is checked is that of the first."""
    advice: str
    """What the user can do if neither way is open: where its makers say how to install it."""
    wheel: Wheel | None = None
    """Tried before the Debian packages: it needs no rights, and its version is known."""
    package_minimum: tuple[int, ...] = ()
    """The minimum as Debian numbers the first package, if the command numbers itself differently."""


@dataclass(frozen=True)
class Packages:
    """Debian packages that a step needs.

    `check` is a command that succeeds if what they provide is there, whoever installed it; else `lacking` is said.
    """

    names: tuple[str, ...]
    check: str
    lacking: str
    advice: str
    """What the user can do where the system has no such packages."""


@dataclass(frozen=True)
class Step:
    """Something to make, and the commands that make it."""

    name: str
    """Names its log and its stamp."""
    says: str
    """Names what is made; shown when the step begins, so it must not claim success."""
    commands: tuple[str, ...]
    inputs: tuple[str, ...]
    """Globs: the step is repeated when the contents of these files change."""
    makes: str
    """What belongs to this step alone: removed first if the step was interrupted."""
    proof: str
    """A path that exists when the step is done; default: everything that it makes."""
    folder: str = "."
    """Where the commands run."""
    environment: str = ""
    """If set, a failure costs only this one environment of the language, not the whole language."""
    purposes: tuple[str, ...] = ()
    """What set-up must be for; if this is given, the environment is not one that a client can have."""
    packages: Packages | None = None
    """Looked for, and installed if that is allowed, before the step is done."""
    variables: tuple[str, ...] = ()
    """The user's environment variables that its commands read: the step is repeated when one changes."""


@dataclass(frozen=True)
class Language:
    """All that set-up knows about a language. Its runner is in the folder of that name, where its commands run."""

    name: str
    needs: tuple[Need, ...]
    steps: tuple[Step, ...]
    """Those with the environment `dev` are needed only by tests and linters."""
    tests: str
    lints: Mapping[str, str]
    """A command for each name; it exits with 0 if, and only if, it ran and all was well."""
    audit: Mapping[str, str]
    """The `command` that checks dependencies against a database of known vulnerabilities, and patterns of what it
    prints: `none` if it knows of nothing, and `asked` if it has asked a database, for a command that says the same
    without asking."""


def read(name: str, root: Path) -> Language:
    """Return the language of this name, as it is in the checkout at `root`."""
    spec = tomllib.loads(LANGUAGES[name].read_text())
    needs = tuple(Need(**_parts(_filled(need, ""))) for need in spec.pop("needs", ()))
    steps = tuple(made(**_parts(form)) for step in spec.pop("steps") for form in _each(step, root))
    return Language(name, needs, steps, **spec)


def made(**form: Any) -> Step:  # noqa: ANN401 - what TOML holds
    """Return a step; that of a Python environment installs exactly the lock file, and its project as editable."""
    requirements, makes = form.pop("requirements", ""), form["makes"]
    editable = form.pop("editable", True)
    if requirements:
        project, python = requirements.partition("/")[0], f"{makes}/bin/python"
        form |= {"says": f"Python packages of {requirements}", "proof": python}
        form["inputs"] = (requirements, f"{project}/pyproject.toml", *form.get("inputs", ()))
        form["commands"] = (
            f"uv venv --allow-existing --python {PYTHON} {makes}",
            f"uv pip sync --python {python} --compile-bytecode --require-hashes {requirements}",
            *([f"uv pip install --python {python} --no-deps --editable {project}"] if editable else []),
        )
    return Step(**{"proof": makes, **form})


def _each(form: Form, root: Path) -> Iterator[Form]:
    """Yield a step once for each name in `each`, or for what `*` stands for in each path that it matches."""
    names = form.pop("each", [""])
    if isinstance(names, str):
        pattern = re.compile(re.escape(names).replace(r"\*", "([^/]*)"))
        paths = (str(path.relative_to(root)) for path in sorted(root.glob(names)))
        found = [match for path in paths if (match := pattern.fullmatch(path))]
        yield from (_filled(form, "-".join(match.groups()), match[0]) for match in found)
    else:
        yield from (_filled(form, name) for name in names)


def _filled(form: Any, name: str, path: str = "") -> Any:  # noqa: ANN401 - what TOML holds
    """Replace `{name}` with the name and `{path}` with the path, and lists with tuples."""
    if isinstance(form, dict):
        return {key: _filled(value, name, path) for key, value in form.items()}
    if isinstance(form, list):
        return tuple(_filled(value, name, path) for value in form)
    return form.replace("{name}", name).replace("{path}", path) if isinstance(form, str) else form


def _parts(form: Form) -> Form:
    """Make the objects that are described in tables of their own."""
    kinds = {"wheel": Wheel, "packages": Packages}
    return {key: kinds[key](**value) if isinstance(value, dict) else value for key, value in form.items()}
