"""Cells as JSON, with the manifest of their run."""

import json

from respmark.contract.base import SCHEMA_VERSION
from respmark.results.manifest import Manifest
from respmark.statistics.cells import Cell


def to_json(runs: list[tuple[Manifest, list[Cell]]]) -> str:
    """Return every run with its cells."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "runs": [
            {
                "manifest": manifest.model_dump(mode="json"),
                "cells": [cell.model_dump(mode="json") for cell in cells],
            }
            for manifest, cells in runs
        ],
    }
    return json.dumps(content, indent=1) + "\n"
