"""A program that stands in for `docker`: answers the first rule whose words are all among its arguments.

The rules are in the JSON file that FAKE_DOCKER names: [words, {"stdout", "stderr", "code", "exec"}]; `exec` is the
file of a Python program that takes over. Every call is noted in the file beside it.
"""

import json
import os
import sys
from pathlib import Path


def main() -> None:
    """Answer one call."""
    path = Path(os.environ["FAKE_DOCKER"])
    arguments = sys.argv[1:]
    with path.with_suffix(".calls").open("a") as calls:
        calls.write(json.dumps(arguments) + "\n")
    for words, answer in json.loads(path.read_text()):
        if set(words) <= set(arguments):
            give(answer)
    sys.stderr.write(f"no rule for {arguments}\n")
    sys.exit(99)


def give(answer: dict[str, str]) -> None:
    if "exec" in answer:
        os.execv(sys.executable, [sys.executable, "-IS", answer["exec"]])  # noqa: S606 - the test's own program
    sys.stdout.write(answer.get("stdout", ""))
    sys.stderr.write(answer.get("stderr", ""))
    sys.exit(int(answer.get("code", "0")))


if __name__ == "__main__":
    main()
