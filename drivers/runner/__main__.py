"""Runs a server's own load generator as harness/contract.md says of runners.

A driver makes its own keys, prints no replies and keeps no latencies. It is told how many commands to send, and not for
how long: calls are repeated until the time is over, each as long as the ones before make likely. What it could not do
ends this program, with the driver's own words.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import monotonic, monotonic_ns
from types import SimpleNamespace
from typing import Any, Final

NUMBER: Final = "__rand_int__"
"""What a driver replaces with a random number, anew in each command."""
DIGITS: Final = 12
"""Of that number."""
SPARE: Final = 1.02
"""A call is made longer by this, so that seldom a second one, with its own start, has to fill the slice."""
STARTS: Final = 3
"""Calls of next to nothing, of which the shortest tells how long a start takes."""
FIRST: Final = 2_000
"""Commands from which the first rate is taken, besides the start."""


class DriverError(Exception):
    """The driver is not there, or ended with an error."""


def main() -> None:
    """Carry out one trial."""
    trial = SimpleNamespace(**json.loads(sys.stdin.readline()))
    driver = Driver(trial)
    say("loaded", {"contract": 3, "versions": {trial.client: driver.version}, "settings": driver.settings})
    for line in sys.stdin:
        ((name, order),) = json.loads(line).items()
        match name:
            case "connect":
                driver.connect()
                say("connected", {})
            case "work":
                say("worked", driver.work(order["lead_in_ns"], order["ns"]))
            case "samples":
                say("samples", {"latencies": "", "counts": [], "dropped": 0})
            case _:
                say("unsupported", f"{trial.client} prints no replies")


def say(name: str, fields: Any) -> None:
    """Print one line, at once."""
    print(json.dumps({name: fields}), flush=True)


class Driver:
    """A driver, and how fast it was so far."""

    def __init__(self, trial: SimpleNamespace) -> None:
        """Find it; raises DriverError if it is not on PATH."""
        if (program := shutil.which(trial.client)) is None:
            raise DriverError(f"{trial.client} is not on PATH")
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"\d+(?:\.\d+)+", said)
        self.version = found[0] if found else "unknown"
        self.depth, self.walkers = trial.shape.get("depth", 1), trial.shape.get("threads", 1)
        self.connections = min(self.walkers, trial.shape.get("max_total", 1))
        options = ["-c", str(self.connections), "-P", str(self.depth)]
        if trial.scenario == "new-connection":
            options += ["-k", "0"]
        numbers, words, shown = sent_command(Path(trial.workload))
        self._command = [program, *server(trial.target), *options, *numbers, "--csv"]
        self._words = words
        self.settings = {
            "driver": " ".join([trial.client, *options, *numbers, *shown]),
            "replies": "not verified: it prints none",
            "latency": "not kept: it prints percentiles only",
        }
        self._start_s, self._rate = 0.0, 0.0

    def connect(self) -> None:
        """Learn how long its start takes, and roughly how many units it does in a second."""
        self._start_s = min(self._call_s(self.connections) for _ in range(STARTS))
        units = max(self.connections, FIRST // self.depth)
        took_s = self._call_s(units)
        self._rate = units / max(took_s - self._start_s, took_s / 2)

    def work(self, lead_in_ns: int, ns: int) -> dict[str, Any]:
        """Work for one slice; all units are those of the first walker."""
        started = moment()
        lead_in = self._units_until(started[0] + lead_in_ns)
        measured_from = moment()
        measured = self._units_until(measured_from[0] + ns)
        moments = {"started": started, "measured_from": measured_from, "ended": moment()}
        others = [0] * (self.walkers - 1)
        units = {"lead_in": [lead_in, *others], "measured": [measured, *others]}
        return {**moments, **units, "errors": {}, "first_error": None}

    def _units_until(self, end_ns: int) -> int:
        done = 0
        while (left_s := (end_ns - monotonic_ns()) / 1e9) > 0:
            units = max(self.connections, round(self._rate * (left_s - self._start_s) * SPARE))
            took_s = self._call_s(units)
            # Of a short call, its start is most, and not known well enough to be taken off.
            self._rate = units / max(took_s - self._start_s, took_s / 2)
            done += units
        return done

    def _call_s(self, units: int) -> float:
        """Let it send so many units; return how long that took."""
        began = monotonic()
        ended = subprocess.run(
            [*self._command, "-n", str(units * self.depth), *self._words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise DriverError(ended.stderr.strip().rpartition("\n")[2] or f"exit code {ended.returncode}")
        return monotonic() - began


def sent_command(workload: Path) -> tuple[list[str], list[str], list[str]]:
    """Return the options for keys, the command as the driver takes it, and the same as it is shown.

    Keys are the workload's own: its prefix, then a number of 12 digits below the highest that the workload has.
    """
    with workload.open("rb") as file:
        header = json.loads(file.readline())
        file.seek(2 * header["commands"], os.SEEK_CUR)
        kind, size, sizes = header["kinds"][0], header["key_bytes"], header["values"]
        column = file.read(header["commands"] * size * kind["arguments"].count("key"))
        median = sizes.index(statistics.median_low(sizes)) if sizes else 0
        file.seek(sum(sizes[:median]), os.SEEK_CUR)
        value = file.read(sizes[median]).decode() if sizes else ""
    keys = {column[at : at + size] for at in range(0, len(column), size)}
    prefix = min(keys)[:-DIGITS].decode() if keys else ""
    numbers = ["-r", str(int(max(keys)[-DIGITS:]) + 1)] if keys else []
    words = [kind["name"], *_filled(kind["arguments"], prefix + NUMBER, value)]
    shown = [kind["name"], *_filled(kind["arguments"], f"…{NUMBER}", f"<{len(value)} bytes>")]
    return numbers, words, shown


def _filled(arguments: list[Any], key: str, value: str) -> list[str]:
    return [{"key": key, "value": value}[one] if isinstance(one, str) else str(one["literal"]) for one in arguments]


def server(target: dict[str, Any]) -> list[str]:
    """Return the options that lead to the server."""
    options = {
        "-s": target["unix_socket"],
        "-h": target["host"],
        "-p": target["port"],
        "--dbnum": target["database"] or None,
        "--user": target["username"],
        "-a": target["password"],
    }
    words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    if (tls := target["tls"]) is not None:
        files = {"--cacert": tls["ca_file"], "--cert": tls["certificate_file"], "--key": tls["key_file"]}
        words += ["--tls", *(word for name, file in files.items() if file for word in (name, file))]
        words += [] if tls["verify"] else ["--insecure"]
    return words


def moment() -> list[int]:
    """Return the time, and the CPU of this program and of every call that has ended."""
    used = [getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)]
    return [
        monotonic_ns(),
        round(sum(one.ru_utime for one in used) * 1e9),
        round(sum(one.ru_stime for one in used) * 1e9),
    ]


try:
    main()
except DriverError as error:
    sys.exit(str(error))
