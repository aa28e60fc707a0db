"""Runs as files: `results/<run-id>/manifest.json` and one file per trial."""
