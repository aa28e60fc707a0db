"""Clients on the workers of a Dask cluster, which are processes of this machine."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from respmark.errors import ExitCode, NothingRanError
from respmark.runners.dask import cluster
from respmark.servers.node import Node
from tests.integration.conftest import LONG, Respmark, Start, url_of, wait_until, wait_until_gone
from tests.integration.run_files import records_of
from tests.integration.second_client import own_keys_left
from tests.processes import started_by


@dataclass(frozen=True)
class Far:
    """A cluster that does not end with the command."""

    address: str
    scheduler: "subprocess.Popen[bytes]"
    begin: "Callable[..., subprocess.Popen[bytes]]"
    """Starts a worker, with these words and variables."""
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def join(self, *words: str, **variables: str) -> "subprocess.Popen[bytes]":
        """Start a worker, and wait until the scheduler knows it."""
        worker = self.begin(*words, **variables)
        self.workers.append(worker)
        wait_until(lambda: _workers(self.address) == len(self.workers))
        return worker


ON_HOSTS = ("--via", "dask", "--scheduler", "local:3", "--scenario", "sync")


def test_the_processes_of_a_client_spread_over_hosts(respmark: Respmark) -> None:
    """Each host's part is stated, in the files and in the report; all of them are the cell's figure."""
    finished = respmark("run", "tiny", *ON_HOSTS, "--processes", "3", "--laps", "4")
    assert finished.code == 0, finished.said
    (record,) = finished.records
    assert [share["processes"] for share in record["hosts"]] == [1, 1, 1]
    counted = [one for one in record["slices"] if one.get("reason") is None]
    assert sum(share["operations"] for share in record["hosts"]) == sum(one["operations"] for one in counted)
    assert all(share["other_cpu_percent"] >= 0 for share in record["hosts"])
    assert [one["connections"] for one in record["sockets"]] == [3]
    assert [host["is_here"] for host in finished.manifest["hosts"]] == [True] * 3
    assert all(set(host["versions"]) == {"respmark", "Python"} for host in finished.manifest["hosts"])
    report = respmark("report", finished.out, "--details").output
    assert all(host["name"] in report for host in finished.manifest["hosts"])


def test_a_host_that_is_lost_fails_its_trials_by_name(start: Start, server: Node) -> None:
    """The run ends with the exit code of failed trials; no process and no key is left."""
    run = start("run", "tiny", *ON_HOSTS, *LONG, "--laps", "100", "--processes", "3", "--server", url_of(server))
    run.wait(lambda: (run.out / "manifest.json").exists() and own_keys_left(server.endpoint) > 0)
    pids = started_by(run.process.pid)
    runner = next(pid for pid in pids if b"/double/runner" in Path(f"/proc/{pid}/cmdline").read_bytes())
    worker = int(Path(f"/proc/{runner}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: any(record["status"] == "failed" for record in records_of(run.out)))
    finished = run.ended(signal.SIGINT)
    failed = next(record for record in finished.records if record["status"] == "failed")
    assert "is lost" in failed["reason"]
    wait_until_gone(pids)
    assert own_keys_left(server.endpoint) == 0


def test_hosts_need_an_address(respmark: Respmark, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing one, one of nobody, and options of hosts without hosts are said to be so."""
    monkeypatch.setattr("respmark.runners.dask.CONNECT_LIMIT_S", 0.5)
    assert "--via dask needs --scheduler" in respmark("run", "tiny", "--via", "dask").said
    assert "--hosts: only with --via dask" in respmark("run", "tiny", "--hosts", "2").said
    nobody = respmark("run", "tiny", "--via", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert nobody.code == 3
    assert "the Dask scheduler at tcp://127.0.0.1:1 cannot be reached" in nobody.said


@pytest.mark.full
def test_conformance_is_proved_on_hosts(respmark: Respmark) -> None:
    """Through the same proxy, which is here."""
    asked = ("--scenario", "sync", "--no-tampering", "--via", "dask", "--scheduler", "local:2")
    finished = respmark("conform", "double", *asked)
    assert finished.code == 0, finished.said
    assert "deviates" not in finished.said


AHEAD_S = 5000
"""What the clock of the second host is ahead."""
SCHEDULER = "tcp://10.213.1.1:18786"
SERVER = "10.214.0.1"
"""Here the server's own address, on each of the hosts that of its relay."""
SERVER_PORT = 16399
ROUND_TRIP_NS = 200_000
RELAY = f"""
import socket, sys
from respmark.network.relay_program import Links
with socket.create_server(("{SERVER}", {SERVER_PORT}), backlog=512) as listener:
    links = Links(listener, (sys.argv[1], {SERVER_PORT}))
    links.obey({{"hold_ns": {ROUND_TRIP_NS}, "handshakes": True}})
    links.run(sys.stdin.fileno())
"""


@pytest.fixture
def namespaces() -> Iterator[list[str]]:
    """Two hosts of their own network stack, each on a cable to this one; needs root."""
    names = [f"respmark-{os.getpid()}-{number}" for number in (1, 2)]
    with ExitStack() as stack:
        _ip("address", "add", f"{SERVER}/32", "dev", "lo")
        stack.callback(_ip, "address", "delete", f"{SERVER}/32", "dev", "lo")
        for number, name in enumerate(names, start=1):
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "delete", name)
            here, there = f"respmark{number}a", f"respmark{number}b"
            _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
            _ip("address", "add", f"10.213.{number}.1/24", "dev", here)
            _ip("link", "set", here, "up")
            _ip("-n", name, "address", "add", f"10.213.{number}.2/24", "dev", there)
            _ip("-n", name, "address", "add", f"{SERVER}/32", "dev", "lo")
            for device in (there, "lo"):
                _ip("-n", name, "link", "set", device, "up")
            _ip("-n", name, "route", "add", "default", "via", f"10.213.{number}.1")
        yield names


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@pytest.mark.full
def test_hosts_with_their_own_networks_and_clocks_work_together(
    respmark: Respmark, namespaces: list[str], tmp_path: Path
) -> None:
    """Each 0.2 ms from the server, one hours ahead: its moments are translated, and the server's counts back both."""
    dask = [sys.executable, "-m", "distributed.cli.dask_worker", SCHEDULER, "--nthreads", "1"]
    first, second = ["--name", "client-1"], ["--name", "client-2"]
    shifted = ["unshare", "--time", "--monotonic", str(AHEAD_S)]
    bound = ["10.213.1.1", "10.213.2.1", SERVER]
    inside = [["ip", "netns", "exec", name] for name in namespaces]
    with ExitStack() as stack:
        for command in (
            ["redis-server", "--bind", *bound, "--port", str(SERVER_PORT), "--protected-mode", "no", "--save", ""],
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "10.213.1.1", "--port", "18786"],
            [*inside[0], sys.executable, "-c", RELAY, "10.213.1.1"],
            [*inside[1], sys.executable, "-c", RELAY, "10.213.2.1"],
            [*inside[0], *dask, *first, "--local-directory", str(tmp_path / "1")],
            [*shifted, *inside[1], *dask, *second, "--local-directory", str(tmp_path / "2")],
        ):
            # A relay ends with its standard input.
            process = stack.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=tmp_path)
            )
            stack.callback(process.terminate)
        words = ("--via", "dask", "--scheduler", SCHEDULER, "--hosts", "2", "--processes", "2")
        wait_until(lambda: _workers(SCHEDULER) == len(namespaces))
        finished = respmark("run", "tiny", "--scenario", "sync", *words, "--server", f"redis://{SERVER}:{SERVER_PORT}")
    assert finished.code == 0, finished.said
    (record,) = finished.records
    assert [share["processes"] for share in record["hosts"]] == [1, 1]
    assert all(share["operations"] > 0 and share["clock_error_ns"] < 10**8 for share in record["hosts"])
    assert all(one["p50_ns"] > ROUND_TRIP_NS for one in record["slices"])


def _workers(scheduler: str) -> int:
    try:
        with cluster(scheduler) as connected:
            return len(connected.workers)
    except NothingRanError:  # it is not up yet
        return 0


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Far]:
    """The scheduler of a cluster of another user's, still without workers: none of it ends with the command."""
    dask, log = "distributed.cli.dask_", subprocess.DEVNULL
    file = tmp_path / "scheduler.json"
    with ExitStack() as stack:

        def started(program: str, *words: str, **variables: str) -> "subprocess.Popen[bytes]":
            command = [sys.executable, "-m", f"{dask}{program}", "--scheduler-file", str(file), *words]
            process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=tmp_path, start_new_session=True, env=os.environ | variables
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return process

        scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
        begin = partial(started, "worker", "--nthreads", "1", "--no-nanny", "--death-timeout", "10")
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        yield Far(json.loads(file.read_text())["address"], scheduler, begin)


@pytest.fixture
def far(alone: Far) -> Far:
    """The same with two workers."""
    for _ in range(2):
        alone.join()
    return alone


@pytest.mark.full
@pytest.mark.parametrize("killed", ["command", "scheduler"])
def test_nothing_is_left_on_hosts_when_the_command_or_the_scheduler_is_killed(
    start: Start, server: Node, far: Far, killed: str
) -> None:
    """Agents end what they started; a run whose scheduler goes away has failed trials and exit code 1."""
    words = ("--via", "dask", "--scheduler", far.address, "--scenario", "sync", "--processes", "2")
    run = start("run", "tiny", *words, *LONG, "--laps", "100", "--server", url_of(server))
    run.wait(lambda: (run.out / "manifest.json").exists() and own_keys_left(server.endpoint) > 0)
    wait_until(lambda: len(_runners(far)) == len(far.workers))
    runners = _runners(far)
    if killed == "scheduler":
        far.scheduler.kill()
        run.wait(lambda: any(record["status"] == "failed" for record in records_of(run.out)))
        run.ended(signal.SIGINT)
    else:
        run.ended(signal.SIGKILL)
    wait_until_gone(runners)
    assert own_keys_left(server.endpoint) == 0


@pytest.mark.full
def test_a_worker_that_joins_late_is_not_used(start: Start, server: Node, far: Far) -> None:
    """The hosts of a run are those that are there when it begins."""
    words = ("--via", "dask", "--scheduler", far.address, "--scenario", "sync", "--processes", "4")
    run = start("run", "tiny", *words, *LONG, "--laps", "4", "--server", url_of(server))
    first = len(far.workers)
    run.wait(lambda: len(_runners(far)) == 2 * first)
    late = far.join()
    finished = run.wait().ended(signal.SIGINT)
    assert len(finished.manifest["hosts"]) == first
    assert started_by(late.pid) == []


def _runners(far: Far) -> list[int]:
    pids = [pid for worker in far.workers for pid in started_by(worker.pid)]
    return [pid for pid in pids if b"/double/runner" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.full
def test_a_host_that_lacks_a_language_is_named_and_the_other_clients_are_measured(
    respmark: Respmark, alone: Far, specs: Path, tmp_path: Path
) -> None:
    """What the first host has, the second one lacks: a client that was named is missing, with what to install there."""
    language = specs / "other"
    shutil.copytree(specs / "double" / "clients" / "double", language / "clients" / "other")
    (language / "runner.toml").write_text(
        'language = "Other"\ncommand = ["other-language"]\nadvice = "install Other there"\n'
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "other-language").symlink_to("/bin/cat")
    alone.join("--name", "1-has-it", PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    alone.join("--name", "2-lacks-it")
    words = ("--via", "dask", "--scheduler", alone.address, "--scenario", "sync", "--processes", "2")
    finished = respmark("run", "tiny", *words, "--client", "double", "--client", "other")
    assert finished.code == ExitCode.SOME_FAILED, finished.said
    by_client = {record["client"]["name"]: record for record in finished.records}
    assert {name: record["status"] for name, record in by_client.items()} == {"double": "ok", "other": "missing"}
    where = f"host {socket.gethostname()}#2"
    assert by_client["other"]["reason"] == f"{where}: other-language: No such file or directory; install Other there"


@pytest.fixture
def elsewhere(alone: Far, tmp_path: Path) -> Far:
    """A cluster whose only worker is on another machine, for all that can be seen: its boot and its lock are others."""
    boot, preloaded = tmp_path / "boot_id", tmp_path / "preloaded.py"
    boot.write_text("another machine")
    preloaded.write_text(
        f"from pathlib import Path\nfrom respmark.runners import agent\nagent.BOOT = Path({str(boot)!r})\n"
    )
    alone.join("--preload", str(preloaded), RESPMARK_LOCK=str(tmp_path / "host.lock"))
    return alone


@pytest.mark.full
def test_of_two_users_on_one_cluster_the_second_is_refused_until_the_first_is_done(
    start: Start, respmark: Respmark, elsewhere: Far, server: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is set up on the host, which has one lock; the first user's run is not disturbed."""
    anywhere = f"redis://0.0.0.0:{server.endpoint.port}"  # reaches this machine's own, and is no address of loopback
    words = ("run", "tiny", "--via", "dask", "--scheduler", elsewhere.address, "--scenario", "sync")
    first = start(*words, *LONG, "--laps", "4", "--server", anywhere).wait()
    # Each user has a machine of their own.
    monkeypatch.setenv("RESPMARK_LOCK", str(first.out.with_name("second.lock")))
    set_up = first.out.with_name("set-up")
    monkeypatch.setattr("respmark.setup.on_host.prepare_here", lambda _names: [f"{set_up.write_text('done')}"])
    refused = respmark(*words, "--server", anywhere, out=first.out.with_name("refused"))
    assert refused.code == 3, refused.said
    assert "another run is measuring on this machine" in refused.said
    assert not set_up.exists()
    assert len(_locks_of(elsewhere)) == 1
    undisturbed = first.ended(signal.SIGINT)
    assert {record["status"] for record in undisturbed.records} == {"ok"}, undisturbed.said
    assert _locks_of(elsewhere) == []
    finished = respmark(*words, "--server", anywhere, out=first.out.with_name("second"))
    assert finished.code == 0, finished.said
    assert set_up.exists()
    assert [host["is_here"] for host in finished.manifest["hosts"]] == [False]


def _locks_of(far: Far) -> list[Path]:
    """Return each time that one of its workers has the lock file of its host open."""
    is_open = (file for worker in far.workers for file in Path(f"/proc/{worker.pid}/fd").iterdir())
    return [file for file in is_open if file.is_symlink() and file.readlink().name == "host.lock"]
