"""A runner for tests that says what it should not, as its option `mode` says: `python teller.py describe|run`."""

import json
import sys

MODES = ["stderr", "line", "orders", "flood"]
FLOOD = 40 * 2**20
DESCRIPTION = {
    "schema_version": 2,
    "runner": "teller",
    "runtime": "CPython",
    "runtime_version": "3",
    "clients": [
        {
            "library": "teller",
            "version": "1.0",
            "dependencies": {},
            "options": {"mode": MODES},
            "scenarios": {"sync": {}},
        }
    ],
    "missing": [],
}


def main() -> None:
    """Describe itself, or tell."""
    if sys.argv[1:] == ["describe"]:
        print(json.dumps(DESCRIPTION), flush=True)
        return
    trial = json.loads(sys.stdin.readline())
    tell(trial["client"]["options"]["mode"], trial["target"].get("password") or "")


def tell(mode: str, password: str) -> None:
    """Say it and end badly."""
    if mode == "line":
        print(f"auth {password!r} or {json.dumps(password)}", flush=True)
        sys.stdin.read()
    elif mode == "orders":
        print("\x1b[2J\x1b]0;title\x07[red]it broke", file=sys.stderr)
    elif mode == "flood":
        sys.stderr.write("x" * FLOOD)
    else:
        print(f"cannot log in with {password}", file=sys.stderr)
    sys.exit(1)


if __name__ == "__main__":
    main()
