"""A program that measures one start, for tests: `python program.py CLIENT`; how it behaves is the client's name."""

import json
import socket
import sys
import time

STARTED_NS = time.monotonic_ns()


def main(how: str) -> None:
    trial = json.loads(sys.stdin.readline())
    if how == "refuses":
        print(json.dumps({"unsupported": "not on this machine"}), flush=True)
        return
    if how == "breaks":
        sys.exit("ToyError: it broke")
    with open(trial["workload"], "rb") as file:  # noqa: PTH123 - one line less to import
        header = json.loads(file.readline())
        file.read(2 * header["commands"])
        key = file.read(header["key_bytes"])
    command = b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(key), key)
    with socket.create_connection((trial["server"]["host"], trial["server"]["port"]), timeout=5) as connection:
        password = trial["server"]["password"]
        connection.sendall(f"*2\r\n$4\r\nAUTH\r\n${len(password)}\r\n{password}\r\n".encode())
        connection.recv(100)
        for _ in range(2 if how == "repeats" else 1):
            connection.sendall(command)
            reply = connection.recv(100).splitlines()[1].decode()
    if how == "invents":
        reply = "nothing of the kind"
    stages = {"main_ns": STARTED_NS, "load_ns": 3_000_000, "create_ns": 2_000_000, "first_ns": 1_000_000}
    print(json.dumps({"started": {**stages, "reply": reply, "versions": {how: "1.0"}}}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
