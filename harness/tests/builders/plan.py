"""Builders of specs, clients, plans, trials and workloads for tests."""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import SecretStr

from respmark.contract.trial import Endpoint, Scenario, Shape
from respmark.paths import CHECKOUT
from respmark.plan.make import make_plan
from respmark.plan.plan import Block, Plan, PlannedCell, Settings, Trial
from respmark.plan.request import Request
from respmark.runners.protocol import TrialRequest
from respmark.specs.catalogue import Catalogue
from respmark.specs.client import Client, ClientSpec
from respmark.workload.spec import CommandSpec, KeyArgument, SizeSpec, ValueArgument, WorkloadSpec
from respmark.workload.workload import Workload, generate

SHIPPED: Final = Catalogue(CHECKOUT / "harness" / "specs")
"""The specs of the checkout, whatever the environment says."""
HIDDEN: Final = "hush-hush-7"
"""A password that must turn up nowhere."""


def tiny_spec(**changes: Any) -> WorkloadSpec:  # noqa: ANN401 - a spec's fields
    """Return the spec of a small workload: 60 commands on 10 keys, of which 8 are preloaded."""
    fields: dict[str, Any] = {
        "name": "tiny",
        "summary": "for tests",
        "commands": 60,
        "preload_keys": 8,
        "key_digits": 4,
        "modulus_bits": 8,
        "sizes": SizeSpec(mean_bytes=16, standard_deviation_bytes=4, min_bytes=4, max_bytes=32),
        "mix": (
            CommandSpec(name="GET", share=0.75, keys=10, arguments=(KeyArgument(),)),
            CommandSpec(name="SET", share=0.25, keys=6, arguments=(KeyArgument(), ValueArgument())),
        ),
    }
    return WorkloadSpec(**fields | changes)


def client_spec(**changes: Any) -> ClientSpec:  # noqa: ANN401 - a spec's fields
    """Return the spec of a client that can do everything."""
    fields: dict[str, Any] = {
        "library": "lib",
        "runner": "python",
        "summary": "for tests",
        "version": "2.0.0",
        "options": {
            "parser": {"values": ["fast", "slow"], "help": "which parser"},
            "protocol": {"values": [3, 2], "help": "RESP version"},
            "timeout": {"values": [False, True], "help": "whether commands time out"},
        },
        "scenarios": list(Scenario),
        "cannot": [
            {"what": "pool", "until": "1.5", "why": "1.0.0 has none"},
            {"what": "window=sliding", "why": "lib has bursts"},
            {"what": "form=queued", "why": "lib has no queue"},
        ],
        "variants": [{}, {"options": {"parser": "slow"}}],
        "versions": {"1.0.0": {"summary": "old", "options": {"protocol": [2]}}},
    }
    return ClientSpec.model_validate_json(json.dumps(fields | changes))


def make_client(name: str = "lib", **changes: Any) -> Client:  # noqa: ANN401 - a client's fields
    """Return a client by hand."""
    fields: dict[str, Any] = {"name": name, "library": "lib", "runner": "python", "version": None, "options": {}}
    return Client(**fields | changes)


def planned(suite: str = "smoke", **request: Any) -> Plan:  # noqa: ANN401 - a request's fields
    """Return the plan of a shipped suite; clients are given by name."""
    return make_plan(asked(suite, **request), SHIPPED)


def asked(suite: str, catalogue: Catalogue = SHIPPED, **request: Any) -> Request:  # noqa: ANN401 - a request's fields
    """Return a request for clients, given by name."""
    clients = tuple(catalogue.named(request.pop("clients", ())))
    return Request(suite=suite, clients=clients, **request)


def make_trial(
    scenario: Scenario = Scenario.SYNC,
    shape: Shape | None = None,
    number: int = 1,
    client: Client | None = None,
    workload: str = "tiny",
) -> Trial:
    """Return one trial by hand; `workload` may be another than the suite's own."""
    return Trial(make_cell(client, scenario, shape, workload=workload), number)


def make_cell(
    client: Client | None = None,
    scenario: Scenario = Scenario.SYNC,
    shape: Shape | None = None,
    unsupported: str | None = None,
    **changes: Any,  # noqa: ANN401 - a cell's fields
) -> PlannedCell:
    """Return a cell by hand; the suite's own workload is `tiny`, its own server `spawned`."""
    fields: dict[str, Any] = {"workload": "tiny", "server": "spawned"} | changes
    differs = {"workload": fields["workload"] != "tiny", "server": fields["server"] != "spawned"}
    fields["named"] = frozenset(name for name, is_so in differs.items() if is_so)
    return PlannedCell(client or make_client(), scenario, shape or Shape(), unsupported, **fields)


def make_settings(**changes: Any) -> Settings:  # noqa: ANN401 - settings' fields
    """Return settings for the tiny workload: two laps of 1 s without lead-in or warm-up."""
    fields: dict[str, Any] = {
        "suite": "tiny",
        "workloads": {"tiny": tiny_spec()},
        "servers": {"spawned": "spawned"},
        "rounds": 1,
        "laps": 2,
        "slice_s": 1.0,
        "lead_in_s": 0.0,
        "warmup_limit_s": 0.0,
        "seed": 1,
    }
    return Settings(**fields | changes)


def make_block(*trials: Trial) -> Block:
    """Return one round of the trials' block."""
    return Block(trials[0].cell.block, trials[0].round, trials)


def copy_specs(folder: Path) -> Path:
    """Copy the shipped specs, with those in the languages' folders; return the folder."""
    specs = CHECKOUT / "harness" / "specs"
    shipped = {path: path.relative_to(specs) for path in specs.rglob("*.toml")}
    for pattern in ("*/runner.toml", "*/clients/*/client.toml"):
        shipped |= {path: path.relative_to(CHECKOUT) for path in CHECKOUT.glob(pattern)}
    for path, place in shipped.items():
        copy = folder / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return folder


def write_specs(folder: Path, **files: str) -> Path:
    """Write spec files, `suites__mine="..."` as suites/mine.toml, beside copies of the shipped ones."""
    copy_specs(folder)
    for name, text in files.items():
        path = folder.joinpath(*name.split("__")).with_suffix(".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def tiny_workload(**changes: Any) -> Workload:  # noqa: ANN401 - a spec's fields
    """Return the small workload."""
    return generate(tiny_spec(**changes), 1)


def make_request(**changes: Any) -> TrialRequest:  # noqa: ANN401 - a request's fields
    """Return a trial request; of its workload's file there is as much as the harness reads."""
    fields: dict[str, Any] = {
        "client": make_client(),
        "scenario": Scenario.SYNC,
        "shape": Shape(),
        "workload": Path(__file__).with_name("tiny.columns"),
        "server": Endpoint(host="127.0.0.1", port=6379, password=SecretStr(HIDDEN)),
    }
    return TrialRequest(**fields | changes)


def every_key(workload: Workload) -> "np.ndarray[Any, np.dtype[np.uint32]]":
    """Return the numbers of all preloaded keys."""
    return np.arange(workload.header.preload_keys, dtype=np.uint32)


def workload_file(name: str, commands: int) -> str:
    """Return the file of a small workload: 80 keys of 100 are there."""
    return f"""
name = "{name}"
summary = "for tests"
commands = {commands}
preload_keys = 80
sizes = {{ mean_bytes = 64, standard_deviation_bytes = 16, min_bytes = 4, max_bytes = 128 }}

[[mix]]
name = "GET"
share = 0.8
keys = 100
arguments = [{{ kind = "key" }}]

[[mix]]
name = "SET"
share = 0.2
keys = 80
arguments = [{{ kind = "key" }}, {{ kind = "value" }}]
"""
