"""The one sentence in a long output that says why something failed: the package manager's own."""

import re

LONGEST = 300
COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# What npm prints around its reason: codes, call stacks, blank lines, usage and where logs are.
NPM_NOISE = r"(?:code|errno|syscall|path|dest|command|at|A complete log|Lifecycle script)\b|[{}]"
# In each pattern, the groups are the sentence.
REASONS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Maven: the compiler's first objection, with the name that it does not find.
        r"COMPILATION ERROR :\s*\[ERROR\] (?:\S*/)?(\w+\.java\S* .*)$(?:\s*\[ERROR\]\s+symbol:\s+(.*))?",
        # Compilers; NuGet's sentence follows the path of a project of ours, which is left out.
        r"^(?:.* : (?=error NU))?(.*\berror (?:TS|CS|NU|MSB)\d+:.*)",
        rf"^(npm (?:error|ERR!) +(?!{NPM_NOISE})\S.*)",
        # uv: with the last cause, which is the deepest.
        r"^error: (.*?):?$(?:[\s\S]*^\s+(?:cause|Caused by): (.*))?",
        # pip: with the broken connection that it only warns about, if there is one.
        r"(?:^WARNING: Retrying .* broken by '(.*)': /[\s\S]*)?^(ERROR: .*)$(?![\s\S]*^ERROR: )",
        # Composer: the first problem, or what follows `In SomeClass.php line 1:`.
        r"^(?:\s*Problem \d+|In \w+\.php line \d+:)\s+(?:- )?(.*)",
        r"^(E: .*)",
        r"^(\[ERROR\] .*)",
    )
)


def plain(output: str) -> str:
    """Return the output without its colours."""
    return COLOUR.sub("", output)


def decisive(output: str) -> str:
    """Return the sentence that says why a command failed; the last line if none looks like a reason."""
    text = plain(output)
    found = next((found for reason in REASONS if (found := reason.search(text))), None)
    sentence = ": ".join(filter(None, found.groups())) if found else text.strip().rpartition("\n")[2]
    words = " ".join(sentence.split()) or "it failed without a word"
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
