"""Programs in Node."""

from typing import Final

from tests.triage.advised.client import IDLE_S, OWN_CLIENT, Advised

BEGIN: Final = """
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
END: Final = """
process.exit(0);
})();
"""


def program(client: Advised, rule: str, text: str, port: int) -> str:
    library = {"ioredis": "Redis", "iovalkey": "Valkey"}.get(client.name)
    own = rule in OWN_CLIENT
    if library:
        made = "" if own else f"const {library.lower()} = new {library}(url); const worker = {library.lower()};"
        connect = f"const {{ default: {library} }} = require('{client.name}'); {made}"
    else:
        connect = "const { createClient } = require('redis');"
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
            f"if (item !== null) throw item;\nconsole.log('waited');\n{again}\nconsole.log(again.element ?? again[1]);"
        ),
    }
    return "\n".join([BEGIN.format(port=port, connect=connect), begin, text, after.get(rule, ""), END])
