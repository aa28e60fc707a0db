"""Programs in Java, each a single file, which `java` compiles."""

from typing import Final

from packaging.version import Version

from tests.triage.advised.client import OWN_CLIENT, Advised

JEDIS: Final = """
import java.util.*;
import redis.clients.jedis.*;
import redis.clients.jedis.params.*;
import redis.clients.jedis.resps.*;
import redis.clients.jedis.util.*;
"""
LETTUCE: Final = """
import io.lettuce.core.*;
import io.lettuce.core.api.*;
import io.lettuce.core.api.async.*;
import io.lettuce.core.api.sync.*;
import java.time.Duration;
import java.util.*;
"""
PROGRAM: Final = """{imports}
public class Advised {{
  record Item(String key, String value) {{}}

  public static void main(String[] arguments) throws Exception {{
    String host = "127.0.0.1", value = "value", cursor = "0";
    int port = {port};
    String[] fields = {{"f1", "f2"}};
    {given}
    {text}
    {after}
    System.exit(0);
  }}
}}
"""
JEDIS_GIVEN: Final = """
    String password = "";
    Map<String, String> items = new HashMap<>();
    for (int n = 0; n < 100; n++) items.put("item:" + n, "value");
"""
POOLED: Final = "new JedisPooled(new HostAndPort(host, port), {config})"
"""A client of Jedis before 7.2."""
BUILT: Final = "RedisClient.builder().hostAndPort(host, port).clientConfig({config}).build()"
DEFAULT: Final = "DefaultJedisClientConfig.builder().build()"
LETTUCE_GIVEN: Final = """
    char[] password = {};
    Duration timeout = Duration.ofSeconds(10);
    List<Item> items = new ArrayList<>();
    for (int n = 0; n < 100; n++) items.add(new Item("item:" + n, "value"));
"""
LETTUCE_CLIENT: Final = """
    RedisClient client = RedisClient.create(RedisURI.create(host, port));
    StatefulRedisConnection<String, String> worker = client.connect();
    RedisCommands<String, String> sync = worker.sync();
    RedisAsyncCommands<String, String> async = worker.async();
"""


def program(client: Advised, rule: str, text: str, port: int) -> str:
    if client.name == "jedis":
        new = POOLED if Version(client.version) < Version("7.2") else BUILT
        imports, given, (text, after) = JEDIS, JEDIS_GIVEN, _jedis(rule, text, new)
        made = f"var client = {new.format(config=DEFAULT)};"
    else:
        imports, given, (text, after) = LETTUCE, LETTUCE_GIVEN, _lettuce(rule, text)
        made = LETTUCE_CLIENT
    given += "" if "String key :" in text else 'String key = "key";'
    given += "" if rule in OWN_CLIENT else made
    return PROGRAM.format(imports=imports, port=port, given=given, text=text, after=after)


def _uses(one: str) -> str:
    return f'for (int n = 0; n < 50; n++) {one}.set("item:" + n, "value");'


def _again(text: str) -> str:
    return text.replace("var item =", "item =").replace("KeyValue<String, String> item =", "item =")


def _shown(rule: str, text: str, element: str) -> str:
    found = [name for name in ("page", "values", "keys", "members") if f" {name} = " in text]
    if rule in {"keys-command", "whole-key-reads"} and found:
        (name,) = found
        is_iterator = "ScanIterator" in text
        return f"while ({name}.hasNext()) System.out.println({name}.next());" if is_iterator else _print(name, text)
    return (
        f'if (item != null) throw new Exception("found");\nSystem.out.println("waited");\n{_again(text)}\n'
        f"System.out.println({element});"
        if rule == "polling"
        else ""
    )


def _print(name: str, text: str) -> str:
    return f"System.out.println({name}{'.getResult()' if 'ScanResult' in text else ''});"


def _jedis(rule: str, text: str, new: str) -> tuple[str, str]:
    after = {
        "connection-churn": _uses("client"),
        "auth-churn": (f"var client = {new.format(config='config.build()')};\n{_uses('client')}"),
        "select-churn": f"var users = {new.format(config=DEFAULT)};\n{_uses('users')}\n{_uses('carts')}",
    }
    # The lines about passwords are a part of the configuration.
    made = f"DefaultJedisClientConfig.Builder config = {text.rstrip()}\n;" if rule == "auth-churn" else text
    return made, after.get(rule, _shown(rule, text, "item.getValue()"))


def _lettuce(rule: str, text: str) -> tuple[str, str]:
    sync = "RedisCommands<String, String> sync = {}.connect().sync();\n"
    after = {
        "connection-churn": _uses("connection.sync()"),
        "auth-churn": sync.format("RedisClient.create(uri.withPort(port).build())") + _uses("sync"),
        "select-churn": (
            sync.format("RedisClient.create(RedisURI.create(host, port))")
            + _uses("sync")
            + "\nRedisCommands<String, String> other = RedisClient.create(carts).connect().sync();\n"
            + _uses("other")
        ),
    }
    made = "RedisURI uri = RedisURI.create(host, port);\n" if rule == "connection-churn" else ""
    return made + text, after.get(rule, _shown(rule, text, "item.getValue()"))
