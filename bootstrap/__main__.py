"""Start the command line, or say that this Python is too old (in syntax that old Pythons can read)."""

import subprocess
import sys

OLDEST = (3, 11)
NEWER = ["python3.{}".format(minor) for minor in range(14, OLDEST[1] - 1, -1)]

TOO_OLD = """respmark needs Python {}.{} or later; {} is {}.
{}
"""


def main():  # type: () -> int
    """Run the command line if this Python can read it."""
    if sys.version_info < OLDEST:
        sys.stderr.write(TOO_OLD.format(OLDEST[0], OLDEST[1], sys.executable, sys.version.split()[0], advice()))
        return 3
    from bootstrap import cli

    return cli.main(sys.argv[1:])


def advice():  # type: () -> str
    """Return how to get a newer Python: one that is on PATH, else a package that this system has, else uv's."""
    for name in NEWER:
        if printed(name, "--version"):
            return "A newer one is here: make bench PYTHON={}".format(name)
    for name in NEWER:
        if "Candidate: 3." in printed("apt-cache", "policy", name):
            return "As root: apt-get install {0} {0}-venv; then: make bench PYTHON={0}".format(name)
    return "uv brings one: https://docs.astral.sh/uv/guides/install-python"


def printed(*command):  # type: (*str) -> str
    """Return what a program prints, or nothing where it is not here or fails."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError:
        return ""
    output = process.communicate()[0].decode()
    return output if process.returncode == 0 else ""


if __name__ == "__main__":
    sys.exit(main())
