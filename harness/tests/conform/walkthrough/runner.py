"""The Python runner with one more client: what one line in python/src/respmark_python/clients/registry.py does."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from respmark_python.clients import registry

from tests.conform.walkthrough import adapter

registry.describe_clients = lambda: [adapter.describe()]
registry.make_session = adapter.TinyRespSession
runpy.run_module("respmark_python", run_name="__main__", alter_sys=True)
