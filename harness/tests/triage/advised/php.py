"""Programs in PHP."""

from typing import Final

from tests.triage.advised.client import Advised

BEGIN: Final = """<?php
$host = '127.0.0.1'; $port = {port}; $password = '';
{made}
$key = 'key'; $value = 'value'; $fields = ['f1', 'f2'];
$items = []; for ($n = 0; $n < 100; $n++) {{ $items["item:$n"] = 'value'; }}
"""
PHPREDIS: Final = """$redis = new Redis(); $redis->connect($host, $port);
$carts = new Redis(); $carts->connect($host, $port);"""
PREDIS: Final = """require '{folder}/autoload.php';
$client = new Predis\\Client(['host' => $host, 'port' => $port]);"""


def program(client: Advised, rule: str, text: str, port: int) -> str:
    is_predis = client.name == "predis"
    made = PREDIS.format(folder=client.folder) if is_predis else PHPREDIS
    one = "$client" if is_predis else "$redis"
    # The lines for predis and a password only make a client.
    text = f"$client = {text}" if is_predis and rule == "auth-churn" else text
    uses = f"for ($n = 0; $n < 50; $n++) {{ {one}->set(\"item:$n\", 'value'); }}"
    after = {
        "connection-churn": uses,
        "auth-churn": uses,
        "select-churn": (
            f"for ($n = 0; $n < 50; $n++) {{ {one}->set(\"item:$n\", '1'); $carts->set(\"item:$n\", '1'); }}"
        ),
        "polling": f"if ($item) {{ throw new Exception('found'); }}\necho 'waited', PHP_EOL;\n{text}\necho $item[1];",
    }
    return "\n".join([BEGIN.format(port=port, made=made), text, after.get(rule, "")])
