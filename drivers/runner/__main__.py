"""Runs load generators as harness/contract.md says of runners.

A driver makes its own keys, prints no replies and keeps no latencies. It is told how many commands to send, and not for
how long: it is called once for a slice, with a number that its calls before make likely to last. How long it worked is
what it says itself: time passes until its connections are open. What it could not do ends this program, with the
driver's own words.
"""

import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import monotonic_ns
from types import SimpleNamespace
from typing import Any, Final

NUMBER: Final = "__rand_int__"
"""What redis-benchmark replaces with a random number of so many digits, anew in each command."""
DIGITS: Final = 12
FIRST: Final = 2_000
"""Commands from which the first rate is taken, at least ten a connection: with fewer, memtier_benchmark cannot tell."""
SPARE: Final = 1.3
"""A call is made longer by this factor than is likely to be needed."""


class DriverError(Exception):
    """The driver is not there, or ended with an error."""


def main() -> None:
    """Carry out one trial."""
    trial = SimpleNamespace(**json.loads(sys.stdin.readline()))
    driver = (Memtier if "memtier" in trial.client else Benchmark)(trial)
    say("loaded", {"contract": 4, "versions": {trial.client: driver.version}, "settings": driver.settings})
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


@dataclass
class Sent:
    """The workload's command."""

    name: str
    arguments: list[Any]
    """As the workload's file has them: `key`, `value` or a literal."""
    prefix: str
    """Of the keys, which a number of 12 digits follows."""
    highest: int | None
    """That number in the last key; None without keys."""
    value: str
    """The one of median size."""

    def words(self, key: str, value: str) -> list[str]:
        """Return the command with these in the places of its keys and its value."""
        given = {"key": key, "value": value}
        return [self.name, *(given[one] if isinstance(one, str) else str(one["literal"]) for one in self.arguments)]


class Driver:
    """A driver, and how fast it was so far."""

    def __init__(self, trial: SimpleNamespace) -> None:
        """Find it; raises DriverError if it is not on PATH."""
        if (program := shutil.which(trial.client)) is None:
            raise DriverError(f"{trial.client} is not on PATH")
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"\d+(?:\.\d+)+", said)
        self.version = found[0] if found else "unknown"
        connections = trial.shape.get("connections", 1)
        self.depth, self.walkers = trial.shape.get("depth", 1), trial.shape.get("threads", connections)
        self.connections = min(self.walkers, trial.shape.get("max_total", connections))
        # Of a sliding window, a unit is one command.
        self.commands = 1 if trial.scenario == "pipelining" else self.depth
        options, shown = self.options(trial, sent_command(Path(trial.workload)))
        self._command = [program, *self.server(trial.server), *options]
        self.settings = {
            "driver": " ".join([trial.client, *shown]),
            "replies": "not verified: it prints none",
            "latency": "not kept: it prints percentiles only",
        }
        self._rate = 0.0

    def options(self, trial: SimpleNamespace, sent: Sent) -> tuple[list[str], list[str]]:
        """Return the options, and the same as they are shown."""
        raise NotImplementedError

    def server(self, given: dict[str, Any]) -> list[str]:
        """Return the options that lead to the server."""
        raise NotImplementedError

    def amount(self, units: int) -> list[str]:
        """Return the options for so many units."""
        raise NotImplementedError

    def worked_ns(self, output: str, units: int) -> int:
        """Return how long it worked, by its own output."""
        raise NotImplementedError

    def connect(self) -> None:
        """Learn roughly how many units it does in a second."""
        self._call(max(10, FIRST // self.commands // self.connections) * self.connections)

    def work(self, lead_in_ns: int, ns: int) -> dict[str, Any]:
        """Work for one slice; all units are those of the first walker.

        A call that was too short, as the rate was not known well, is the slice's lead-in.
        """
        started = begun = moment()
        lead_in, units, worked_ns = 0, 0, 0
        while worked_ns < ns:
            lead_in, begun = lead_in + units, moment()
            units = max(1, round(self._rate * (lead_in_ns + ns) / 1e9 * SPARE / self.connections)) * self.connections
            worked_ns = self._call(units)
        ended = moment()
        others = [0] * (self.walkers - 1)
        return {
            "started": started,
            "measured_from": [ended[0] - worked_ns, *begun[1:]],
            "ended": ended,
            "lead_in": [lead_in, *others],
            "measured": [units, *others],
            "errors": {},
            "first_error": None,
        }

    def _call(self, units: int) -> int:
        """Let it send so many units; return how long it worked, in ns, and learn from that."""
        ended = subprocess.run(
            [*self._command, *self.amount(units)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode != 0:
            raise DriverError(ended.stderr.strip().rpartition("\n")[2] or f"exit code {ended.returncode}")
        worked_ns = max(1_000_000, self.worked_ns(ended.stdout, units))
        self._rate = units / worked_ns * 1e9
        return worked_ns


class Benchmark(Driver):
    """redis-benchmark and valkey-benchmark, which wait 50 ms for every 64 connections before they work."""

    def options(self, trial: SimpleNamespace, sent: Sent) -> tuple[list[str], list[str]]:
        """Return them, with the command at the end."""
        options = ["-c", str(self.connections), "-P", str(self.depth)]
        options += ["-k", "0"] if trial.scenario == "new-connection" else []
        options += [] if sent.highest is None else ["-r", str(sent.highest + 1)]
        self._words = sent.words(sent.prefix + NUMBER, sent.value)
        return [*options, "--csv"], [*options, *sent.words(f"…{NUMBER}", f"<{len(sent.value)} bytes>")]

    def server(self, given: dict[str, Any]) -> list[str]:
        """Return what its --help says."""
        words = named({"-s": given["unix_socket"], "-h": given["host"], "-p": given["port"]})
        words += named({"--dbnum": given["database"] or None, "--user": given["username"], "-a": given["password"]})
        return words + tls_words(given["tls"], "--insecure")

    def amount(self, units: int) -> list[str]:
        """Return the number of commands, and the command."""
        return ["-n", str(units * self.commands), *self._words]

    def worked_ns(self, output: str, units: int) -> int:
        """Return what its commands a second come to, the second field of the last line."""
        *_, (_, rate, *_) = csv.reader(output.splitlines())
        return round(units * self.commands / float(rate) * 1e9)


class Memtier(Driver):
    """memtier_benchmark, which ends at a whole second, whenever its work does."""

    def options(self, trial: SimpleNamespace, sent: Sent) -> tuple[list[str], list[str]]:
        """Return them; its keys have no leading zeros, so those of the most common length are used."""
        options = ["-t", "1", "-c", str(self.connections), "--pipeline", str(self.depth)]
        options += ["--reconnect-interval", "1"] if trial.scenario == "new-connection" else []
        numbers, keys = [], []
        if sent.highest is not None:
            of_length = (range(10 ** (size - 1) if size > 1 else 0, 10**size) for size in range(1, DIGITS + 1))
            common = max((one[: max(0, sent.highest + 1 - one.start)] for one in of_length), key=len)
            numbers = ["--key-minimum", str(common.start), "--key-maximum", str(common.stop - 1)]
            zeros = "0" * (DIGITS - len(str(common.stop - 1)))
            keys = ["--key-prefix", sent.prefix + zeros, "--command-key-pattern", "R"]
        made = ["-d", str(max(1, len(sent.value))), "--distinct-client-seed", "--randomize", "--hide-histogram"]
        files = ["--out-file", os.devnull, "--json-out-file", "/dev/stdout"]
        command = " ".join(sent.words("__key__", "__data__"))
        shown = " ".join(sent.words("…__key__", f"<{len(sent.value)} bytes>"))
        whole = [*options, *numbers, *made, *files, "--command", command, *keys]
        return whole, [*options, *numbers, f"--command={shown}"]

    def server(self, given: dict[str, Any]) -> list[str]:
        """Return what its --help says."""
        password = ":".join(filter(None, [given["username"], given["password"]])) or None
        words = named({"-S": given["unix_socket"], "-s": given["host"], "-p": given["port"], "-a": password})
        words += named({"--select-db": given["database"] or None})
        return words + tls_words(given["tls"], "--tls-skip-verify")

    def amount(self, units: int) -> list[str]:
        """Return the number of commands of each connection."""
        return ["-n", str(units * self.commands // self.connections)]

    def worked_ns(self, output: str, units: int) -> int:
        """Return the time from the first connection's start to the last one's end, which it gives in ms.

        What it prints is not JSON in all versions, and can be less than 0 where there was next to nothing to do.
        """
        del units
        if (found := re.search(r'"Total duration"\s*:\s*(-?\d+)', output)) is None:
            raise DriverError("memtier_benchmark does not say how long it worked: it must be version 2 or later")
        return int(found[1]) * 1_000_000


def sent_command(workload: Path) -> Sent:
    """Read what the workload's units send; keys are the workload's own, of its prefix and a number of 12 digits."""
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
    return Sent(kind["name"], kind["arguments"], prefix, int(max(keys)[-DIGITS:]) if keys else None, value)


def named(options: dict[str, Any]) -> list[str]:
    """Return the options that have a value, in words."""
    return [word for name, value in options.items() if value is not None for word in (name, str(value))]


def tls_words(tls: dict[str, Any] | None, unverified: str) -> list[str]:
    """Return the options for TLS, `unverified` where certificates are not to be verified."""
    if tls is None:
        return []
    files = {"--cacert": tls["ca_file"], "--cert": tls["certificate_file"], "--key": tls["key_file"]}
    return ["--tls", *named(files), *([] if tls["verify"] else [unverified])]


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
