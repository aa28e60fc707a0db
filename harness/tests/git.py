"""Git, as a user who is nobody."""

import subprocess
from pathlib import Path


def git(repository: Path, *words: str) -> str:
    """Run a command in a repository; return what it prints."""
    identity = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(repository), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
