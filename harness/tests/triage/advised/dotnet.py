"""Programs in C#, compiled by the SDK's own compiler against the client's build."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.triage.advised.client import OWN_CLIENT, Advised

PROGRAM: Final = """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using StackExchange.Redis;

string host = "127.0.0.1", password = "";
int port = {port};
RedisValue value = "value";
RedisValue[] fields = {{ "f1", "f2" }};
var items = Enumerable.Range(0, 100).Select(n => new {{ Key = $"item:{{n}}", Value = "value" }}).ToList();
ConfigurationOptions options = ConfigurationOptions.Parse($"{{host}}:{{port}}");
{given}
{text}
{after}
"""
MADE: Final = """
var redis = ConnectionMultiplexer.Connect(options);
var db = redis.GetDatabase();
var sub = redis.GetSubscriber();
var server = redis.GetServer(host, port);
"""
WORK: Final = """
var done = new ManualResetEventSlim();
void Work(RedisValue item) { Console.WriteLine(item); done.Set(); }
"""
DATABASE: Final = "var db = ConnectionMultiplexer.Connect(options).GetDatabase();\n"
USES: Final = 'for (var n = 0; n < 50; n++) {one}.StringSet($"item:{{n}}", "value");\n'


def program(_: Advised, rule: str, text: str, port: int) -> str:
    given = "" if rule in OWN_CLIENT else MADE
    given += WORK if rule == "polling" else ""
    given += 'RedisKey key = "key";\n' if "RedisKey key in" not in text else ""
    db = USES.replace("{one}", "db").replace("{{", "{").replace("}}", "}")
    after = {
        "connection-churn": f"var db = Redis.GetDatabase();\n{db}",
        "auth-churn": DATABASE + db,
        "select-churn": f"{DATABASE}{db}var other = carts.GetDatabase();\n{db.replace('db.', 'other.')}",
        "polling": 'Console.WriteLine("waited");\ndone.Wait();',
    }
    shown = "".join(
        f'Console.WriteLine(string.Join(" ", {name}));' for name in ("page", "values") if f" {name} = " in text
    )
    # A field of a class there, a local variable here.
    text = text.replace("static readonly ConnectionMultiplexer Redis", "var Redis")
    return PROGRAM.format(port=port, given=given, text=text, after=after.get(rule, shown))


def compiled(client: Advised, source: Path) -> list[str]:
    """Return the command that runs a program, once it is compiled."""
    sdk, runtime = (_listed(what) for what in ("--list-sdks", "--list-runtimes"))
    built = client.folder / "bin" / "Respmark.Runner" / "release"
    (library,) = built.glob("StackExchange.Redis.dll")
    references = [f"-r:{one}" for one in [*_assemblies(runtime), library]]
    program_path = source.with_suffix(".dll")
    compiler = sdk / "Roslyn" / "bincore" / "csc.dll"
    words = ["dotnet", str(compiler), "-nologo", "-noconfig", "-nostdlib", f"-out:{program_path}", *references]
    subprocess.run([*words, str(source)], check=True)
    for needed in built.glob("*.dll"):
        shutil.copy(needed, source.parent)
    shutil.copy(built / "respmark.runtimeconfig.json", source.with_suffix(".runtimeconfig.json"))
    return ["dotnet", str(program_path)]


def _listed(what: str) -> Path:
    """Return the folder of the newest SDK or runtime: `10.0.401 [/usr/share/dotnet/sdk]`."""
    lines = subprocess.run(["dotnet", what], capture_output=True, text=True, check=True).stdout.splitlines()
    last = [line for line in lines if what == "--list-sdks" or line.startswith("Microsoft.NETCore.App ")][-1]
    version, _, folder = last.removeprefix("Microsoft.NETCore.App ").partition(" ")
    return Path(folder.strip("[]")) / version


def _assemblies(runtime: Path) -> list[Path]:
    return [one for one in runtime.glob("*.dll") if one.name.startswith(("System.", "Microsoft.", "netstandard"))]
