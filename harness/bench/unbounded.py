"""Whether a Node.js process with a small heap survives a million commands that it issues without a bound.

    .build/harness/bin/python harness/bench/unbounded.py

Pass or fail: the same commands with at most 100 of them in flight must end well, and without a bound must not. Exits
with 1 if they end otherwise: then the claim `node-redis-unbounded` does not hold (harness/specs/guidance).
"""

import os
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Final

from respmark import paths
from respmark.contract.trial import Endpoint
from respmark.machine.guardian import Guardian
from respmark.servers.server import open_server
from respmark.specs.catalogue import Catalogue

PROGRAM: Final = Path(__file__).parent / "standalone" / "unbounded.mjs"
HEAP_MIB: Final = 64
COMMANDS: Final = 1_000_000
MOST: Final = 100


def main() -> int:
    """Print a row for each way, and return the exit code."""
    with closing(Guardian()) as guardian:
        server = open_server(Catalogue().server("spawned"), guardian, allow_flush=True)
        with closing(server):
            said = {most: _ended(server.endpoint, most) for most in (MOST, 0)}
    print(f"node-redis, {COMMANDS:,} SETs of 1 KiB, a heap of {HEAP_MIB} MiB:")
    for most, words in said.items():
        print(f"  {f'at most {most} in flight' if most else 'without a bound'}: {words or 'ended well'}")
    return 0 if not said[MOST] and "heap" in said[0] else 1


def _ended(server: Endpoint, most: int) -> str:
    """Return why the process died; empty if it did not."""
    node = paths.build() / "bin" / "node"
    command = [str(node) if node.exists() else "node", f"--max-old-space-size={HEAP_MIB}", str(PROGRAM)]
    words = [str(paths.build() / "node" / "node-redis"), str(server.port), str(COMMANDS), str(most)]
    password = {} if server.password is None else {"PASSWORD": server.password.get_secret_value()}
    environment = {**os.environ, **password}
    ended = subprocess.run(  # noqa: S603 - our own program
        [*command, *words], env=environment, capture_output=True, text=True, check=False
    )
    fatal = (line for line in ended.stderr.splitlines() if line.startswith("FATAL ERROR"))
    return "" if ended.returncode == 0 else next(fatal, f"exit code {ended.returncode}")


if __name__ == "__main__":
    raise SystemExit(main())
