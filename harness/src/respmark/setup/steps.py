"""Do a step: not at all if nothing changed, in place if its inputs did, from scratch otherwise.

A stamp records what a step was last done for: its first line has the interpreter, the tools and the checkout's own
path, on which the step builds; its second line has a digest of the step's commands and of the contents of its inputs.
"""

import hashlib
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from respmark.setup import debian
from respmark.setup.machine import Machine, Missing, decisive
from respmark.specs.client import PackagesSpec
from respmark.specs.runner import StepSpec

PYTHON: Final = Path(sys.executable).resolve()
"""Not a virtual environment's: that of the harness may be made anew."""
AGAIN: Final = "when the cause is gone, run the same command again."


def do(step: StepSpec, foundation: str, machine: Machine) -> None:
    """Do the step unless it is done for exactly what is here now; raise Missing with the decisive sentence."""
    made = machine.root / step.evidence
    if _kept(step, machine) == _stamp(step, foundation, machine) and made.exists():
        return
    if step.packages:
        _bring(step.packages, machine)
    stamp, advice = _stamp(step, foundation, machine), f"See {machine.log(step.name)}; {AGAIN}"
    machine.say(f"set-up: {step.says}")
    _clear(step, stamp, machine)
    for command in step.commands:
        argv = tuple(word.replace("{python}", str(PYTHON)) for word in shlex.split(command))
        finished = machine.run(argv, step.name, step.folder)
        if finished.code != 0:
            raise Missing(decisive(finished.output), advice)
    if not made.exists():
        raise Missing(f"its commands ended well, but {step.evidence} is not there", advice)
    path = _stamp_file(step, machine)
    path.parent.mkdir(exist_ok=True)
    path.write_text(stamp)


def _clear(step: StepSpec, stamp: str, machine: Machine) -> None:
    """Remove the stamp until the step is done again, and what the step made unless that is a sound base."""
    made, has_proof = machine.root / step.makes, (machine.root / step.evidence).exists()
    is_sound = _kept(step, machine).partition("\n")[0] == stamp.partition("\n")[0] and has_proof
    for path in (_stamp_file(step, machine), machine.log(step.name)):
        path.unlink(missing_ok=True)
    if not is_sound and made.is_dir():
        shutil.rmtree(made)
    elif not is_sound:
        made.unlink(missing_ok=True)


def _stamp_file(step: StepSpec, machine: Machine) -> Path:
    return machine.build / "stamp" / step.name


def _kept(step: StepSpec, machine: Machine) -> str:
    path = _stamp_file(step, machine)
    return path.read_text(errors="replace") if path.is_file() else ""


def _stamp(step: StepSpec, foundation: str, machine: Machine) -> str:
    """Return the stamp of the step when it is up to date; the user's variables are part of its foundation."""
    python = f"{PYTHON} {sys.version.split()[0]}"
    variables = [f"{name}={value}" for name in step.variables if (value := machine.variables.get(name))]
    digest = hashlib.sha256(repr((step.commands, step.state)).encode())
    for path in sorted({path for glob in step.inputs for path in machine.root.glob(glob) if path.is_file()}):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(machine.root)}\0{len(content)}\0".encode() + content)
    return f"{' '.join((str(machine.root), python, foundation, *variables))}\n{digest.hexdigest()}\n"


def _bring(packages: PackagesSpec, machine: Machine) -> None:
    """Install what a step needs unless it is there; raise Missing if it is not there in the end."""
    check = tuple(shlex.split(packages.check))
    if machine.run(check, "questions").code == 0:
        return
    debian.install(packages.names, packages.lacking, machine, packages.advice)
    if machine.run(check, "questions").code != 0:
        message = f"{packages.lacking}, although Debian's {' '.join(packages.names)} is installed"
        raise Missing(message, "See whether the one that is first on PATH is Debian's")
