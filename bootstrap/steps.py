"""Do a step: not at all when nothing changed, in place when its inputs did, from nothing otherwise."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from bootstrap import sentences, stamps
from bootstrap.errors import StepFailed
from bootstrap.layout import Layout
from bootstrap.model import Step
from bootstrap.worksite import Site


def expand(steps: tuple[Step, ...], site: Site) -> Iterator[Step]:
    """Give the steps for this purpose, those with `each` once for each file."""
    for step in steps:
        if site.purpose in step.purposes:
            yield from _each(step, site.layout) if step.each else (step,)


def _each(step: Step, layout: Layout) -> Iterator[Step]:
    for path in sorted(layout.root.glob(step.each)):
        yield filled(replace(step, each=""), {"name": path.stem, "file": layout.shown(path)})


def filled(step: Step, words: Mapping[str, str]) -> Step:
    """Put words in the place of `{…}`; those that have none stay."""
    return replace(
        step,
        name=fill(step.name, words),
        says=fill(step.says, words),
        commands=tuple(tuple(fill(word, words) for word in command) for command in step.commands),
        inputs=tuple(fill(glob, words) for glob in step.inputs),
        makes=fill(step.makes, words),
        proof=fill(step.proof, words),
        environment=fill(step.environment, words),
    )


def fill(text: str, words: Mapping[str, str]) -> str:
    """Put words in the place of `{…}`; those that have none stay."""
    for name, word in words.items():
        text = text.replace(f"{{{name}}}", word)
    return text


def is_done(step: Step, foundation: str, site: Site) -> bool:
    """Tell whether the step was done for exactly what is here now."""
    kept = stamps.read(site.layout.stamp(step.name))
    return kept == _wanted(step, foundation, site) and (site.layout.root / step.proof).exists()


def _wanted(step: Step, foundation: str, site: Site) -> stamps.Stamp:
    """Give the stamp of the step when it is done; what the user's variables say is part of its foundation."""
    variables = (f"{name}={value}" for name in step.variables if (value := site.machine.variables.get(name)))
    return stamps.wanted(step, " ".join((foundation, *variables)), site.layout)


def do(step: Step, words: Mapping[str, str], foundation: str, site: Site) -> None:
    """Do the step unless it is done; raise StepFailed with the decisive sentence."""
    if is_done(step, foundation, site):
        return
    wanted = _wanted(step, foundation, site)
    with site.screen.step(step.says):
        _clear(step, wanted, site.layout)
        for command in filled(step, words).commands:
            run(command, step.name, site, step.folder)
        _proved(step, site.layout)
    stamps.write(site.layout.stamp(step.name), wanted)


def _clear(step: Step, wanted: stamps.Stamp, layout: Layout) -> None:
    """Take the stamp away until the step is done again, and what it made unless that is a sound base."""
    kept = stamps.read(layout.stamp(step.name))
    layout.stamp(step.name).unlink(missing_ok=True)
    layout.log(step.name).unlink(missing_ok=True)
    if kept is None or kept.foundation != wanted.foundation or not (layout.root / step.proof).exists():
        remove(layout.root / step.makes)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run(command: tuple[str, ...], name: str, site: Site, folder: str = ".", **variables: str) -> None:
    """Run one command of a step into the step's log; raise StepFailed with the decisive sentence."""
    log = site.layout.log(name)
    finished = site.machine.run(site.command(command, folder, **variables), log)
    if finished.code != 0:
        raise StepFailed(sentences.decisive(finished.output), log)


def _proved(step: Step, layout: Layout) -> None:
    if not (layout.root / step.proof).exists():
        message = f"its commands ended well, but {step.proof} is not there"
        raise StepFailed(message, layout.log(step.name))
