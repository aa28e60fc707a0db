"""Programs in Go."""

import re
from typing import Final

from tests.triage.advised.client import OWN_CLIENT, Advised

BEGIN: Final = """package main

import (
	"context"
	"fmt"
	"time"

	"{package}"
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
PACKAGES: Final = {
    "go-redis": "github.com/redis/go-redis/v9",
    "rueidis": "github.com/redis/rueidis",
    "valkey-go": "github.com/valkey-io/valkey-go",
}
CHECKED: Final = "if err != nil { panic(err) }"


def program(client: Advised, rule: str, text: str, port: int) -> str:
    globals_, body = _go_redis(rule, text) if client.name == "go-redis" else _built(client.name, rule, text)
    return BEGIN.format(package=PACKAGES[client.name], port=port, globals=globals_, body="\n".join(body))


def _go_redis(rule: str, text: str) -> tuple[str, list[str]]:
    own = rule in OWN_CLIENT
    again = text.replace("item, err :=", "item, err =")
    after = {
        "connection-churn": 'for n := 0; n < 50; n++ { rdb.Set(ctx, fmt.Sprintf("item:%d", n), "value", 0) }',
        "polling": (
            f'if err != redis.Nil {{ panic(err) }}\nfmt.Println("waited")\n{again}\n{CHECKED}\nfmt.Println(item[1])'
        ),
        "one-at-a-time": CHECKED,
        "whole-key-reads": "".join(f"{CHECKED}\nfmt.Println({name})" for name in re.findall(r"(\w+), err :=", text)),
    }
    made = text if own else "var rdb = redis.NewClient(&redis.Options{Addr: addr})"
    return made, [*([] if own else [text]), after.get(rule, "")]


def _built(name: str, rule: str, text: str) -> tuple[str, list[str]]:
    """Return what a program needs of the two clients that build commands."""
    library = "rueidis" if name == "rueidis" else "valkey"
    made = f"client, err := {library}.NewClient({library}.ClientOption{{InitAddress: []string{{addr}}}})"
    one = 'client.B().Set().Key(fmt.Sprintf("item:%d", n)).Value("value").Build()'
    before = {
        "one-at-a-time": (
            f"commands := make({library}.Commands, 0, 100)\n"
            f"for n := 0; n < 100; n++ {{ commands = append(commands, {one}) }}"
        )
    }
    after = {
        "connection-churn": f"{CHECKED}\nfor n := 0; n < 50; n++ {{ client.Do(ctx, {one}) }}",
        "one-at-a-time": "for _, one := range results { if one.Error() != nil { panic(one.Error()) } }",
    }
    return "", [*([] if rule in OWN_CLIENT else [made, CHECKED]), before.get(rule, ""), text, after.get(rule, "")]
