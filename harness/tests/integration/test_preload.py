"""Preloading over several connections of a real server."""

import numpy as np

from respmark.specs.catalogue import Catalogue
from respmark.target.control import Control
from respmark.target.preload import LANES, more_lanes, preload
from respmark.target.spawn import Server
from respmark.workload.generate import generate, preload_sizes


def test_every_key_is_written_whichever_connection_it_goes_over(server: Server) -> None:
    """All keys are there with the bytes that follow from them, and the further connections are closed."""
    spec = Catalogue().workload("quick").model_copy(update={"preload_keys": 2345, "commands": 10})
    workload, sizes = generate(spec, 1), preload_sizes(spec, 1)
    with Control(server.endpoint) as control:
        with more_lanes(control) as others:
            assert len(others) == LANES - 1
            preload(control, workload, np.arange(2345, dtype=np.uint32), sizes, others)
        assert control.command("DBSIZE") == 2345
        for key in (0, 99, 100, 1600, 2344):
            assert control.command("GET", workload.key(key)) == workload.value(key, int(sizes[key]))


def test_a_server_with_no_connection_free_is_loaded_over_one(server: Server) -> None:
    """Where no further connection can be had, none is used."""
    with Control(server.endpoint) as control:
        control.command("CONFIG", "SET", "maxclients", "1")
        with more_lanes(control) as others:
            assert others == []
