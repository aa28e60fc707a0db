"""Programs in Python."""

from typing import Final

from tests.triage.advised.client import Advised

BEGIN: Final = """
import {library}
HOST, PORT, URL, PASSWORD = "127.0.0.1", {port}, "redis://127.0.0.1:{port}", ""
client = {library}.{of}(host=HOST, port=PORT, decode_responses=True)
key, value, fields = "key", "value", ["f1", "f2"]
items = [(f"item:{{n}}", "value") for n in range(100)]
item = None
"""
USES: Final = "for n in range(50): client.set(f'item:{n}', 'value')"


def program(client: Advised, rule: str, text: str, port: int) -> str:
    library, of = {"redis-py": ("redis", "Redis"), "valkey": ("valkey", "Valkey")}[client.name]
    after = {
        "connection-churn": USES,
        "auth-churn": USES,
        "select-churn": "for n in range(50): users.set(f'item:{n}', 1); carts.set(f'item:{n}', 1)",
        "polling": f"assert item is None, item\nprint('waited', flush=True)\n{text}\nprint(item[1])",
    }
    return "\n".join([BEGIN.format(library=library, of=of, port=port), text, after.get(rule, "")])
