"""Do a step: not at all if nothing changed, in place if its inputs did, from scratch otherwise.

A stamp records what a step was last done for: its first line has the interpreter, the tools and the checkout's own
path, on which the step builds; its second line has a digest of the step's commands and of the contents of its inputs.
"""

import hashlib
import os
import shlex
import shutil
import sys

from bootstrap import debian
from bootstrap.errors import Missing
from bootstrap.languages import Packages, Step
from bootstrap.machine import Site
from bootstrap.sentences import decisive

AGAIN = "when the cause is gone, run the same command again."


def is_done(step: Step, foundation: str, site: Site) -> bool:
    """Return whether the step was done for exactly what is here now."""
    return _kept(step, site) == _stamp(step, foundation, site) and (site.root / step.proof).exists()


def do(step: Step, foundation: str, site: Site) -> None:
    """Do the step unless it is done; raise Missing with the decisive sentence."""
    if is_done(step, foundation, site):
        return
    if step.packages:
        _bring(step.packages, site)
    stamp, advice = _stamp(step, foundation, site), f"See .build/log/{step.name}.log; {AGAIN}"
    site.say(step.says)
    _clear(step, stamp, site)
    for command in step.commands:
        finished = site.run(tuple(shlex.split(command)), step.name, step.folder)
        if finished.code != 0:
            raise Missing(decisive(finished.output), advice)
    if not (site.root / step.proof).exists():
        raise Missing(f"its commands ended well, but {step.proof} is not there", advice)
    path = site.build / "stamp" / step.name
    path.parent.mkdir(exist_ok=True)
    path.write_text(stamp)


def _clear(step: Step, stamp: str, site: Site) -> None:
    """Remove the stamp until the step is done again, and what the step made unless that is a sound base."""
    is_sound = _kept(step, site).partition("\n")[0] == stamp.partition("\n")[0] and (site.root / step.proof).exists()
    made = site.root / step.makes
    for path in (site.build / "stamp" / step.name, site.log(step.name)):
        path.unlink(missing_ok=True)
    if not is_sound and made.is_dir():
        shutil.rmtree(made)
    elif not is_sound:
        made.unlink(missing_ok=True)


def _kept(step: Step, site: Site) -> str:
    path = site.build / "stamp" / step.name
    return path.read_text(errors="replace") if path.is_file() else ""


def _stamp(step: Step, foundation: str, site: Site) -> str:
    """Return the stamp of the step when it is up to date; the user's variables are part of its foundation."""
    python = f"{os.path.realpath(sys.executable)} {sys.version.split()[0]}"
    variables = [f"{name}={value}" for name in step.variables if (value := site.variables.get(name))]
    digest = hashlib.sha256(repr(step.commands).encode())
    for path in sorted({path for glob in step.inputs for path in site.root.glob(glob) if path.is_file()}):
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(site.root)}\0{len(content)}\0".encode() + content)
    return f"{' '.join((str(site.root), python, foundation, *variables))}\n{digest.hexdigest()}\n"


def _bring(packages: Packages, site: Site) -> None:
    """Install what a step needs unless it is there; raise Missing if it is not there in the end."""
    check = tuple(shlex.split(packages.check))
    if site.run(check, "questions").code == 0:
        return
    debian.install(packages.names, packages.lacking, site, packages.advice)
    if site.run(check, "questions").code != 0:
        message = f"{packages.lacking}, although Debian's {' '.join(packages.names)} is installed"
        raise Missing(message, "See whether the one that is first on PATH is Debian's")
