"""Start the command line, or say that this Python is too old (in syntax that old Pythons can read)."""

import sys

OLDEST = (3, 11)

TOO_OLD = """respmark needs Python {}.{} or later; {} is {}.
Name a newer one, for example `make bench PYTHON=python3.11`. Debian 12, Ubuntu 24.04 and later have one as python3;
elsewhere it is often a package of its own: apt-get install python3.11 python3.11-venv"""


def main():  # type: () -> int  # noqa: ANN201 - Pythons without annotations read this, too
    """Run the command line if this Python can read it."""
    if sys.version_info < OLDEST:
        sys.stderr.write(TOO_OLD.format(OLDEST[0], OLDEST[1], sys.executable, sys.version.split()[0]) + "\n")
        return 3
    from bootstrap import cli  # noqa: PLC0415 - older Pythons must not read it

    return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
