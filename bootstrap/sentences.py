"""The one sentence of a long output that tells why: the package manager's own."""

import re
from collections.abc import Callable, Iterator

LONGEST = 300
CROSS = "\N{MULTIPLICATION SIGN}"
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

# What npm says around its reason: codes, call stacks, blank lines, usage and places of logs.
NPM_NOISE = re.compile(
    r"npm (?:error|ERR!)(?:\s*$|\s+(?:code|errno|syscall|path|dest|command|at|[{}]|A complete log|Lifecycle script)\b)"
)


def plain(output: str) -> str:
    """Take the colours out."""
    return COLOUR.sub("", output)


def decisive(output: str) -> str:
    """Find the sentence that tells why a command failed; the last line if none looks like a reason."""
    lines = [line.rstrip() for line in plain(output).splitlines() if line.strip()]
    for find in FINDERS:
        if sentence := find(lines):
            return _short(sentence)
    return _short(lines[-1]) if lines else "it failed without a word"


def _short(sentence: str) -> str:
    words = " ".join(sentence.split())
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


def _starting(*starts: str) -> Callable[[list[str]], str]:
    def first(lines: list[str]) -> str:
        return next((line for line in lines if line.lstrip().startswith(starts)), "")

    return first


def _compiler(lines: list[str]) -> str:
    found = next((line for line in lines if re.search(r"\berror (?:TS|CS|NU|MSB)\d+:", line)), "")
    # NuGet's own sentence; the project that it stands in front of is all of ours.
    return re.sub(r"^.*\s:\s(?=error NU\d+:)", "", found)


def _npm(lines: list[str]) -> str:
    said = [line for line in lines if line.startswith(("npm error", "npm ERR!"))]
    return next((line for line in said if not NPM_NOISE.match(line)), said[0] if said else "")


def _uv(lines: list[str]) -> str:
    """Join uv's `error:` (in older versions a cross) with the last cause under it, which is the deepest."""
    start = next((at for at, line in enumerate(lines) if line.lstrip().startswith(("error:", CROSS))), None)
    if start is None:
        return ""
    causes = list(_causes(lines[start + 1 :]))
    return f"{lines[start].strip().removesuffix(':')}: {causes[-1]}" if causes else lines[start]


def _causes(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if found := re.match(r"\s+(?:cause: |Caused by: |[╰├]─▶ )(.*)", line):
            yield found[1]


def _pip(lines: list[str]) -> str:
    """Join pip's last `ERROR:` with the broken connection that it only warns of, if there is one."""
    said = [line for line in lines if line.startswith("ERROR:")]
    broken = [found[1] for line in lines if (found := re.search(r"^WARNING: Retrying .* broken by '(.*)': /", line))]
    return ": ".join(said[-1:] + broken[-1:]) if said else ""


def _composer(lines: list[str]) -> str:
    """Give Composer's first problem, or what stands under `In SomeClass.php line 1:`."""
    starts = (at for at, line in enumerate(lines) if re.match(r"\s*Problem \d+$|In \w+\.php line \d+:$", line))
    start = next(starts, None)
    return "" if start is None else next((line.strip().removeprefix("- ") for line in lines[start + 1 :]), "")


FINDERS = (_compiler, _npm, _uv, _pip, _composer, _starting("E: "), _starting("[ERROR] "))
