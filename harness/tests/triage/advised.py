"""Programs that take the advice of rules: the lines of `specs/triage` as they are, and what a program needs besides."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from respmark import paths
from tools.triage_loads import go_program

PYTHON: Final = """
import {library}
HOST, PORT, URL, PASSWORD = "127.0.0.1", {port}, "redis://127.0.0.1:{port}", ""
client = {library}.{of}(host=HOST, port=PORT, decode_responses=True)
key, value, fields = "key", "value", ["f1", "f2"]
items = [(f"item:{{n}}", "value") for n in range(100)]
item = None
"""
NODE: Final = """
const {{ setTimeout: sleep }} = require('node:timers/promises');
const url = 'redis://127.0.0.1:{port}', password = '';
const key = 'key', value = 'value', fields = ['f1', 'f2'];
const items = Array.from({{ length: 100 }}, (_, n) => [`item:${{n}}`, 'value']);
{connect}
(async () => {{
"""
MADE: Final = """
const client = await createClient({ url }).on('error', console.error).connect();
const worker = client;
"""
NODE_END: Final = """
process.exit(0);
})();
"""
PHP: Final = """<?php
$host = '127.0.0.1'; $port = {port}; $password = '';
$redis = new Redis(); $redis->connect($host, $port);
$key = 'key'; $value = 'value'; $fields = ['f1', 'f2'];
$items = []; for ($n = 0; $n < 100; $n++) {{ $items["item:$n"] = 'value'; }}
"""
GO: Final = """package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var ctx = context.Background()
var addr = "127.0.0.1:{port}"
{globals}

func main() {{
	key, value, fields := "key", "value", []string{{"f1", "f2"}}
	items := map[string]string{{}}
	for n := 0; n < 100; n++ {{
		items[fmt.Sprintf("item:%d", n)] = "value"
	}}
	_, _, _, _, _ = key, value, fields, items, time.Second
{body}
}}
"""
OWN_CLIENT: Final = frozenset({"connection-churn", "auth-churn", "select-churn", "slow-version"})
"""Rules whose lines make the client."""
IDLE_S: Final = 10


@dataclass(frozen=True)
class Advised:
    """A client that takes advice."""

    name: str
    """Library and version, as they are in a rule's code and in CLIENT LIST."""
    version: str
    folder: str
    """Of set-up."""
    language: str

    @property
    def is_here(self) -> bool:
        """Return whether set-up has made it."""
        return (paths.build() / self.language / self.folder).is_dir()

    def program(self, rule: str, text: str, port: int) -> str:
        """Return the program that follows a rule's advice."""
        made = {"python": self._python, "node": self._node, "php": self._php, "go": self._go}
        return made[self.language](rule, text, port)

    def run(self, program: str, folder: Path) -> "subprocess.Popen[str]":
        """Start a program."""
        suffix = {"python": "py", "node": "cjs", "php": "php", "go": "go"}[self.language]
        path = folder / f"advised.{suffix}"
        path.write_text(program)
        made = paths.build() / self.language / self.folder
        if self.language == "go":
            return self._run_go(path)
        words = {"python": str(made / "bin" / "python"), "node": "node", "php": "php"}[self.language]
        environment = {**os.environ, "NODE_PATH": str(made / "node_modules")}
        return subprocess.Popen([words, str(path)], stdout=-1, stderr=-1, text=True, env=environment)

    def _run_go(self, path: Path) -> "subprocess.Popen[str]":
        for name in ("go.mod", "go.sum"):
            shutil.copy(go_program().parent / name, path.parent)
        subprocess.run(["go", "build", "-o", "advised", "."], cwd=path.parent, check=True)
        return subprocess.Popen([str(path.parent / "advised")], stdout=-1, stderr=-1, text=True)

    def _go(self, rule: str, text: str, port: int) -> str:
        made = "var rdb = redis.NewClient(&redis.Options{Addr: addr})"
        own = rule in OWN_CLIENT
        again = text.replace("item, err :=", "item, err =")
        after = {
            "connection-churn": 'for n := 0; n < 50; n++ { rdb.Set(ctx, fmt.Sprintf("item:%d", n), "value", 0) }',
            "polling": (
                'if err != redis.Nil { panic(err) }\nfmt.Println("waited")\n'
                f"{again}\nif err != nil {{ panic(err) }}\nfmt.Println(item[1])"
            ),
            "one-at-a-time": "if err != nil { panic(err) }",
            "whole-key-reads": "".join(
                f"if err != nil {{ panic(err) }}\nfmt.Println({name})"
                for name in ("values", "page")
                if f"{name}, err" in text
            ),
        }
        body = "\n".join([*([] if own else [text]), after.get(rule, "")])
        return GO.format(port=port, globals=text if own else made, body=body)

    def _python(self, rule: str, text: str, port: int) -> str:
        of = {"redis-py": "Redis", "valkey": "Valkey"}[self.name]
        library = {"redis-py": "redis", "valkey": "valkey"}[self.name]
        after = {
            "connection-churn": "for n in range(50): client.set(f'item:{n}', 'value')",
            "auth-churn": "for n in range(50): client.set(f'item:{n}', 'value')",
            "select-churn": "for n in range(50): users.set(f'item:{n}', 1); carts.set(f'item:{n}', 1)",
            "polling": f"assert item is None, item\nprint('waited', flush=True)\n{text}\nprint(item[1])",
        }
        return "\n".join([PYTHON.format(library=library, of=of, port=port), text, after.get(rule, "")])

    def _node(self, rule: str, text: str, port: int) -> str:
        node_redis = "const { createClient } = require('redis');"
        library = {"ioredis": "Redis", "iovalkey": "Valkey"}.get(self.name)
        own = rule in OWN_CLIENT
        if library:
            made = "" if own else f"const {library.lower()} = new {library}(url); const worker = {library.lower()};"
            connect = f"const {{ default: {library} }} = require('{self.name}'); {made}"
        else:
            connect = node_redis
        begin = "" if own or library else MADE
        name = (library or "client").lower()
        uses = f"for (let n = 0; n < 50; n++) await {name}.set(`item:${{n}}`, 'value');"
        open_it = "" if library else "if (!client.isOpen) await client.connect();"
        again = text.replace("const item", "const again")
        after = {
            "connection-churn": uses,
            "auth-churn": open_it + uses,
            "select-churn": (
                "for (const one of [users, carts]) { await one.connect(); "
                "for (let n = 0; n < 50; n++) await one.set(`item:${n}`, '1'); }"
            ),
            "slow-version": f"{open_it} await sleep({IDLE_S * 1000 + 500}); {uses}",
            "polling": (
                f"if (item !== null) throw item;\nconsole.log('waited');\n{again}\n"
                "console.log(again.element ?? again[1]);"
            ),
        }
        return "\n".join([NODE.format(port=port, connect=connect), begin, text, after.get(rule, ""), NODE_END])

    def _php(self, rule: str, text: str, port: int) -> str:
        uses = "for ($n = 0; $n < 50; $n++) { $redis->set(\"item:$n\", 'value'); }"
        after = {
            "connection-churn": uses,
            "auth-churn": uses,
            "select-churn": (
                "for ($n = 0; $n < 50; $n++) { $redis->set(\"item:$n\", '1'); $carts->set(\"item:$n\", '1'); }"
            ),
            "polling": (
                f"if ($item) {{ throw new Exception('found'); }}\necho 'waited', PHP_EOL;\n{text}\necho $item[1];"
            ),
        }
        carts = "$carts = new Redis(); $carts->connect($host, $port);"
        return "\n".join([PHP.format(port=port), carts, text, after.get(rule, "")])


ADVISED: Final = (
    Advised("redis-py", "8.1.0", "redis-py", "python"),
    Advised("valkey", "6.2.0", "valkey", "python"),
    Advised("node-redis", "6.3.1", "node-redis", "node"),
    Advised("node-redis", "1.6.1", "node-redis-4.7.1", "node"),  # the version of @redis/client, which it reports
    Advised("ioredis", "6.0.0", "ioredis", "node"),
    Advised("iovalkey", "0.4.0", "iovalkey", "node"),
    Advised("go-redis", "9.23.0", "go-redis", "go"),
    Advised("phpredis", "", "phpredis", "php"),
)
SENT: Final[Mapping[str, frozenset[str]]] = {
    "keys-command": frozenset({"scan"}),
    "slow-del": frozenset({"unlink"}),
    "whole-key-reads/smembers": frozenset({"sscan"}),
    "whole-key-reads/hgetall": frozenset({"hmget"}),
    "whole-key-reads/lrange": frozenset({"lrange"}),
    "whole-key-reads/zrange": frozenset({"zrange"}),
}
"""What is sent to the server when the advice is taken."""
