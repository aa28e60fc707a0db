"""Programs that use a library as its README says and know nothing of respmark: how each in `standalone` is started."""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from respmark.contract.trial import Scenario, Shape
from respmark.errors import RunnerMissingError
from respmark.plan.plan import PlannedCell
from respmark.runners.protocol import TrialRequest

FOLDER: Final = Path(__file__).parent / "standalone"
BUILD_LIMIT_S: Final = 900.0

NO_NATIVE_TRANSPORT: Final = ("-Dio.lettuce.core.epoll=false", "-Dio.lettuce.core.iouring=false")
"""An installation of Lettuce has none; the runner's class path has, for `transport=epoll`."""

Words = list[str]
STARTED: Final[Mapping[str, Callable[[Words, Path], Words]]] = {
    "redis-py": lambda runner, _: [runner[0], _file("redis_py.py"), "redis"],
    "valkey": lambda runner, _: [runner[0], _file("redis_py.py"), "valkey"],
    "coredis": lambda runner, _: [runner[0], _file("coredis_readme.py")],
    "valkey-glide-python": lambda runner, _: [runner[0], _file("valkey_glide.py"), "glide"],
    "valkey-glide-sync": lambda runner, _: [runner[0], _file("valkey_glide.py"), "glide_sync"],
    "node-redis": lambda runner, _: [runner[0], _file("node_redis.mjs"), runner[-1]],
    "ioredis": lambda runner, _: [runner[0], _file("ioredis.mjs"), runner[-1], "ioredis"],
    "iovalkey": lambda runner, _: [runner[0], _file("ioredis.mjs"), runner[-1], "iovalkey"],
    "valkey-glide-node": lambda runner, _: [runner[0], _file("valkey_glide.mjs"), runner[-1]],
    "jedis": lambda runner, _: [*runner[:-1], _file("jedis.java")],
    "lettuce": lambda runner, _: [*runner[:-1], *NO_NATIVE_TRANSPORT, _file("lettuce.java")],
    "redisson": lambda runner, _: [*runner[:-1], _file("redisson.java")],
    "valkey-glide-java": lambda runner, _: [*runner[:-1], _file("valkey_glide.java")],
    "phpredis": lambda runner, _: [*runner[:-3], _file("phpredis.php")],
    "predis": lambda runner, _: [*runner[:-3], _file("predis.php"), f"{runner[-1]}/autoload.php"],
    "stackexchange-redis": lambda runner, build: ["dotnet", str(_dotnet_built(Path(runner[-1]).parent, build))],
    "redis-rs": lambda runner, build: [str(_cargo_built("redis_rs", Path(runner[0]).parent, build))],
    "fred": lambda runner, build: [str(_cargo_built("fred", Path(runner[0]).parent, build))],
    "go-redis": lambda runner, build: [str(_go_built("go_redis.go", Path(runner[0]).parent, build))],
    "rueidis": lambda runner, build: [str(_go_built("rueidis.go", Path(runner[0]).parent, build))],
    "hiredis": lambda runner, build: [str(_c_built("hiredis.c", Path(runner[0]).parent, build))],
}
"""How each library's program is started with its runner's own settings: from the runner's command and `.build`."""


SHAPES: Final = {(Scenario.SYNC, Shape()), (Scenario.BATCHING, Shape(depth=100))}
"""What every program can do."""
THREADED: Final = {
    "jedis": (Scenario.POOL, Shape(threads=10, max_total=10)),
    "stackexchange-redis": (Scenario.THREADS, Shape(threads=10, connections=1)),
}
"""What one of them can do besides."""


def exists(cell: PlannedCell) -> bool:
    """Return whether there is a program for the cell: of a library as it is installed."""
    library, does = cell.client.library, (cell.scenario, cell.shape)
    is_known = library in STARTED and "[" not in cell.client.name
    return is_known and (does in SHAPES or does == THREADED.get(library))


def command(runner: Words, request: TrialRequest, build: Path) -> Words:
    """Return the command of the request's program; `runner` is what starts its client's runner.

    Raises:
        RunnerMissingError: the server is none that a program can reach, or the program cannot be built.
    """
    server = request.server
    if server.unix_socket is not None or server.tls is not None or server.username is not None or server.database:
        raise RunnerMissingError("the stand-alone programs reach a server by host, port and password alone")
    arguments = [str(server.host), str(server.port), str(request.scenario), _key_prefix(request.workload)]
    return [*STARTED[request.client.library](runner, build), *arguments]


def _file(name: str) -> str:
    return str(FOLDER / name)


def _key_prefix(workload: Path) -> str:
    """Return what the workload's keys begin with; seven digits follow."""
    with workload.open("rb") as file:
        header = json.loads(file.readline())
        file.seek(2 * header["commands"], 1)
        key = file.read(header["key_bytes"]).decode()
    return key.rstrip("0123456789")


def _dotnet_built(libraries: Path, build: Path) -> Path:
    """Build the .NET program with the library that its runner has; return the program."""
    out = build / "standalone" / libraries.parents[2].name
    words: Sequence[str] = (
        *("dotnet", "build", _file("stackexchange_redis.csproj"), "--configuration", "Release", "--tl:off"),
        *("-nodeReuse:false", "-p:UseSharedCompilation=false", "-p:UseAppHost=false"),
        *(f"-p:Libraries={libraries}", f"-p:BaseIntermediateOutputPath={out}/obj/", "--output", str(out / "bin")),
    )
    _run(words)
    return out / "bin" / "stackexchange_redis.dll"


def _cargo_built(name: str, runner: Path, build: Path) -> Path:
    """Build a Rust program in a copy of the workspace in which its runner was built, whose libraries are compiled."""
    copy = build / "standalone" / runner.name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(runner / "src", copy)
    member = copy / "clients" / "standalone"
    member.mkdir()
    shutil.copy2(FOLDER / f"{name}.toml", member / "Cargo.toml")
    shutil.copy2(FOLDER / f"{name}.rs", member)
    built, program = runner.parent / "target", f"standalone-{name.replace('_', '-')}"
    manifest = ("--manifest-path", str(copy / "Cargo.toml"), "--target-dir", str(built))
    _run(("cargo", "build", "--quiet", "--release", "--offline", "--workspace", "--bin", program, *manifest))
    return built / "release" / program


def _go_built(name: str, runner: Path, build: Path) -> Path:
    """Build a Go program with the modules of its runner, and with the same flags; return the program."""
    out = build / "standalone" / runner.name
    out.mkdir(parents=True, exist_ok=True)
    for file in (runner / "src" / "clients").glob("*/go.*"):
        shutil.copyfile(file, out / file.name)
    shutil.copyfile(FOLDER / name, out / "main.go")
    _run(("go", "mod", "edit", "-droprequire=respmark", "-dropreplace=respmark", str(out / "go.mod")))
    flags = ("-buildvcs=false", "-trimpath", "-o", "program", ".")
    _run(("env", "CGO_ENABLED=0", "go", "build", "-C", str(out), *flags))
    return out / "program"


def _c_built(name: str, runner: Path, build: Path) -> Path:
    """Build a C program with the machine's library, as its runner is built; return the program."""
    out = build / "standalone" / runner.name
    out.mkdir(parents=True, exist_ok=True)
    _run(("cc", "-std=c11", "-O2", "-o", str(out / "program"), _file(name), f"-l{runner.name}", "-lm"))
    return out / "program"


def _run(words: Sequence[str]) -> None:
    """Run what builds a program.

    Raises:
        RunnerMissingError: it fails.
    """
    built = subprocess.run(words, capture_output=True, text=True, timeout=BUILD_LIMIT_S, check=False)  # noqa: S603 - ours
    if built.returncode:
        said = (built.stdout.strip() or built.stderr.strip())[-300:]
        raise RunnerMissingError(f"the stand-alone program cannot be built: {said}")
