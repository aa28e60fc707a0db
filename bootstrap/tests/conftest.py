"""What the tests share."""

import io
from pathlib import Path

import pytest

from bootstrap.tests.fakes import Checkout, FakeMachine


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Give an empty checkout on a machine with nothing but Python."""
    return Checkout(tmp_path, FakeMachine(tmp_path), io.StringIO())


@pytest.fixture
def whole(checkout: Checkout) -> Checkout:
    """Give a checkout with harness and both runners, on a machine where every command does what it should."""
    for name in ("harness/requirements.txt", "harness/requirements-dev.txt", "harness/pyproject.toml"):
        checkout.write(name)
    for name in ("python/requirements.txt", "python/requirements-dev.txt", "python/pyproject.toml"):
        checkout.write(name)
    checkout.write("python/environments/redis-py-3.5.3.txt")
    checkout.write("node/package.json")
    checkout.write("node/package-lock.json")
    checkout.write("bootstrap/uv.in", "uv==0.13.8\n")
    checkout.machine.has("uv", "uv 0.13.8")
    checkout.machine.has("redis-server", "7.0")
    checkout.machine.has("node", "v22.1.0")
    checkout.machine.has("npm", "10.0.0")
    for folder in (".build/harness", ".build/python/default", ".build/python/redis-py-3.5.3", ".build/python/dev"):
        line = f"usr-bin/uv venv --allow-existing --python /usr/bin/python3 {folder}"
        checkout.made_by(line, f"{folder}/bin/python")
    packages = ("node/node_modules", "node/environments/node-redis-3.1.2/node_modules")
    checkout.made_by("usr-bin/npm ci", *(f"{folder}/redis/package.json" for folder in packages))
    checkout.made_by("usr-bin/npm run build", "node/dist/main.js")
    return checkout
