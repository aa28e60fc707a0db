"""A bare loop for tests, honest or not: `python bare.py MODE --host H --port P --workload FILE --scenario S --depth D`.

MODE may be left out: then it is honest.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.integration.double import Connection, Workload

MODES = (
    *("honest", "overclaims", "underclaims", "idle", "garbage", "negative", "chatty", "silent", "ends-early"),
    *("never-ready", "unready", "ends-badly"),
)


def main() -> int:
    """Answer each line of input."""
    given = arguments()
    misbehave_early(given.mode)
    workload = Workload(given.workload)
    connection = Connection({"host": given.host, "port": given.port, "database": 0})
    print("ready", flush=True)
    for line in sys.stdin:
        seconds, first = line.split()
        if given.mode == "ends-early":
            sys.exit("bare: gave up")
        if given.mode == "silent":
            time.sleep(3600)
        print(answer(given, connection, workload, float(seconds), int(first)), flush=True)
    return 9 if given.mode == "ends-badly" else 0


def arguments() -> argparse.Namespace:
    """Return what it was started with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", nargs="?", choices=MODES, default="honest")
    for name in ("host", "workload", "scenario"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("port", "depth"):
        parser.add_argument(f"--{name}", required=True, type=int)
    parser.add_argument("--mode", dest="option", help="an option of the client, which makes no difference here")
    return parser.parse_args()


def misbehave_early(mode: str) -> None:
    """Do what a broken loop does before it is ready."""
    if mode == "never-ready":
        sys.exit("bare: no such module")
    if mode == "unready":
        print("Warning: something is deprecated", flush=True)


def answer(given: argparse.Namespace, connection: Connection, workload: Workload, seconds: float, first: int) -> str:
    """Work, and say what came of it."""
    began, cpu = time.monotonic_ns(), time.process_time_ns()
    operations = 0
    while time.monotonic_ns() - began < seconds * 1e9 or not operations:
        if given.mode != "idle":
            connection.send([workload.words(first + operations + i) for i in range(given.depth)])
            for _ in range(given.depth):
                connection.reply()
        operations += given.depth
    elapsed_ns, cpu_ns = time.monotonic_ns() - began, time.process_time_ns() - cpu
    if given.mode == "garbage":
        return "I did a lot"
    if given.mode == "negative":
        return f"{operations} {elapsed_ns} -5"
    if given.mode == "chatty":
        return f"{operations} {elapsed_ns} {cpu_ns} {operations}"
    return f"{operations + {'overclaims': 1, 'underclaims': -1}.get(given.mode, 0)} {elapsed_ns} {cpu_ns}"


if __name__ == "__main__":
    sys.exit(main())
