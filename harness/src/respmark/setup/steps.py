"""Do a step: not at all if nothing changed, in place if its inputs did, from scratch otherwise.

A stamp records what a step was last done for: its first line has the interpreter, the tools and the path of the folder
that has `.build`, on which the step builds; its second line has a digest of the step's commands and of the contents of
its inputs.
"""

import hashlib
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from respmark.carried import files_in
from respmark.setup import debian
from respmark.setup.host import QUESTIONS, Finished, Missing, SetupHost
from respmark.specs.client_tables import PackagesSpec
from respmark.specs.runner import StepSpec

PYTHON: Final = Path(sys.executable).resolve()
"""Not a virtual environment's: that of the harness may be made anew."""
AGAIN: Final = "remove the cause, then run the same command again."
DESCRIPTION: Final = "client.toml"
"""A client's file that nothing is made of."""


class CommandFailed(Missing):
    """A command of a step failed, and not what the step needs from the system."""


def do(step: StepSpec, foundation: str, host: SetupHost) -> None:
    """Run the step unless its stamp is current; raise Missing with the tool's error."""
    made, kept = host.root / (step.proof or step.makes), host.build / "stamp" / step.name
    before = kept.read_text(errors="replace") if kept.is_file() else ""
    if before == stamp_of(step, foundation, host) and made.exists():
        return
    if step.packages:
        _bring(step.packages, host)
    stamp, advice = stamp_of(step, foundation, host), f"See {shown(host.log(step.name))}; {AGAIN}"
    host.say(f"set-up: {step.says}")
    # No stamp until the step is done again. Delete the old output unless an incremental build can use it.
    for path in (kept, host.log(step.name)):
        path.unlink(missing_ok=True)
    if before.partition("\n")[0] != stamp.partition("\n")[0] or not made.exists():
        _remove(host.root / step.makes)
    folder, names = _folder(step, host), {"python": str(PYTHON), "sources": str(host.sources)}
    for command in step.commands:
        argv = tuple(filled(word, names) for word in shlex.split(command))
        finished = host.run(argv, step.name, folder)
        if finished.code != 0 and not _done_offline(step, argv, finished, host):
            reason = host.reason(finished)
            raise CommandFailed(reason.replace(f"{step.stage}/", f"{step.folder}/") if step.stage else reason, advice)
    if not made.exists():
        raise Missing(f"its commands succeeded, but {step.proof or step.makes} is not there", advice)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(stamp)


def _done_offline(step: StepSpec, argv: tuple[str, ...], failed: Finished, host: SetupHost) -> bool:
    """Try a command again that failed, with the package manager's own cache alone; say so if that does it."""
    if not step.offline or host.run((*step.offline, *argv), step.name, step.stage or step.folder).code != 0:
        return False
    host.say(f"{step.says}: taken from the package manager's cache; its registry gave: {host.reason(failed)}")
    return True


def _folder(step: StepSpec, host: SetupHost) -> str:
    """Return where the commands run: a stage has copies of the inputs as they are now, and nothing else."""
    if not step.stage:
        if step.folder.startswith(host.build.name):
            host.place(step.folder).mkdir(parents=True, exist_ok=True)
        return step.folder
    stage = host.place(step.stage)
    _remove(stage)
    stage.mkdir(parents=True)
    for name, path in _inputs(step, host).items():
        (stage / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, stage / name)  # with its time: a compiler that goes by that compiles less anew
    return step.stage


def _inputs(step: StepSpec, host: SetupHost) -> dict[str, Path]:
    """Return the files that a step is made of, by their paths: from the checkout, or in the stage."""
    base = host.sources / (step.folder if step.stage else "")
    found = {path for glob in step.inputs for path in host.sources.glob(glob) if path.is_file()}
    inputs = {str(path.relative_to(base)): path for path in sorted(found)}
    for name, folder in step.also.items():
        files = [path for path in files_in(Path(folder)) if path.name != DESCRIPTION]
        inputs |= {str(Path(name) / path.relative_to(folder)): path for path in files}
    return inputs


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def shown(path: Path) -> Path:
    """Return a path as a user types it: results name it, and may be published."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def stamp_of(step: StepSpec, foundation: str, host: SetupHost) -> str:
    """Return the stamp of the step when it is up to date; the user's variables are part of its foundation."""
    python = f"{PYTHON} {sys.version.split()[0]}"
    variables = [f"{name}={value}" for name in step.variables if (value := host.variables.get(name))]
    digest = hashlib.sha256(repr((step.commands, step.state)).encode())
    for name, path in _inputs(step, host).items():
        content = path.read_bytes()
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return f"{' '.join((str(host.root), python, foundation, *variables))}\n{digest.hexdigest()}\n"


def _bring(packages: PackagesSpec, host: SetupHost) -> None:
    """Install what a step needs unless it is there; raise Missing if it is not there in the end."""
    check = tuple(shlex.split(packages.check))
    with host.lock:
        if host.run(check, QUESTIONS).code == 0:
            return
        debian.install(packages.names, packages.lacking, host, packages.advice)
        if host.run(check, QUESTIONS).code != 0:
            message = f"{packages.lacking}, although Debian's {' '.join(packages.names)} is installed"
            raise Missing(message, "See whether the one that is first on PATH is Debian's")


def filled(text: str, names: dict[str, str]) -> str:
    """Return a text of a spec with `{name}` replaced where the name is known."""
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), text)
