"""What the tests share."""

from pathlib import Path

import pytest

from bootstrap.tests.fakes import FakeSite

OLDER = "node/environments/node-redis-3.1.2"


@pytest.fixture
def site(tmp_path: Path) -> FakeSite:
    """Give an empty checkout, but for the pin of uv, on a machine with nothing but Python and that uv."""
    site = FakeSite(tmp_path)
    site.write("bootstrap/uv.in", "uv==0.13.8\n")
    site.has("uv", "uv 0.13.8")
    for folder in (".build/harness", ".build/python/redis-py", ".build/python/redis-py-3.5.3", ".build/python/dev"):
        site.makes[f"uv venv --allow-existing --python python {folder}"] = (f"{folder}/bin/python",)
    return site


@pytest.fixture
def whole(site: FakeSite) -> FakeSite:
    """Give a checkout with two runners, on a machine where every command does what it should."""
    site.write("python/clients/redis-py/requirements.txt")
    site.write("python/clients/redis-py/version-3.5.3.txt")
    for folder in ("node", OLDER):
        site.write(f"{folder}/package.json")
    site.has("redis-server")
    site.has("node", "v22.1.0")
    site.has("npm")
    site.makes["npm ci"] = ("node/node_modules/a", f"{OLDER}/node_modules/a")
    site.makes["npm run build"] = ("node/dist/main.js",)
    return site
