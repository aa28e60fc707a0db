"""A micro-benchmark tool for tests: writes what it is told to, and ends as it is told.

Run as `python tool.py --port N --password-file FILE --job short --out FOLDER [--forks N] [--filter MODE]`.
"""

import json
import socket
import sys
from pathlib import Path

ENTRY = {
    "jmhVersion": "1.37",
    "benchmark": "org.respmark.bench.jedis.Sync.get",
    "mode": "avgt",
    "threads": 1,
    "forks": 1,
    "jvmArgs": [],
    "measurementIterations": 3,
    "primaryMetric": {"score": 40_000.0, "scoreError": 1_000.0, "scoreUnit": "ns/op"},
}
FAILURE = {"benchmark": "org.respmark.bench.jedis.Sync.set", "params": {}, "reason": "GET of key 7: a wrong value"}


def main(words: list[str]) -> int:
    options = dict(zip(words[::2], words[1::2], strict=True))
    mode = options.get("--filter", "well")
    out = Path(options["--out"])
    with socket.create_connection(("127.0.0.1", int(options["--port"])), timeout=5) as connection:
        password = Path(options["--password-file"])
        print("the password's file is for", oct(password.stat().st_mode & 0o777), flush=True)
        connection.sendall(f"AUTH {password.read_text()}\r\n".encode())
        connection.recv(100)
        connection.sendall(b"PING\r\n")
        print("the server says", connection.recv(100), flush=True)
    print("respmark.library.jedis=8.0.2", flush=True)
    if mode in {"well", "some-fail", "fails-late"}:
        (out / "jmh.json").write_text(json.dumps([ENTRY | {"forks": int(options.get("--forks", "1"))}]))
    if mode in {"some-fail", "all-fail"}:
        (out / "failures.json").write_text(json.dumps([FAILURE]))
    if mode == "well":
        return 0
    said = "Error: Unable to access jarfile /bench.jar" if mode == "no-jar" else "error: something broke here"
    print(said, file=sys.stderr)
    return {"refuses": 2, "no-server": 4}.get(mode, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
