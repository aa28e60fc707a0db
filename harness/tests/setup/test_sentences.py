"""The decisive sentence of real outputs, which are cut to what is around it."""

import pytest

from respmark.setup.host import decisive

NPM = """npm warn Unknown user config "nodedir".
npm error code ETARGET
npm error
npm error notarget No matching version found for redis@99.0.0.
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/index.js:130:14)
"""
UV = """Using Python 3.11.2 environment at: .build/harness
error: Request failed after 3 retries in 7.1s:
  cause: Failed to fetch: http://127.0.0.1:9/simple/redis/
  cause: Connection refused (os error 111)

         Expected:
"""
UV_BUILD = """error: Failed to build `redis @ file:///home/me/redis-py`
  cause: The build backend returned an error
  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)

         [stderr]
         Traceback (most recent call last):
           File "<string>", line 2
         SyntaxError: invalid syntax

hint: Build failures usually indicate a problem with the package or the build environment
"""
PYTHON = """*** Error compiling './clients/tiny/tiny.py'...
  File "./clients/tiny/tiny.py", line 12
    def open(self
            ^
SyntaxError: '(' was never closed

"""
PHP = """PHP Parse error:  syntax error, unexpected end of file in clients/tiny/Tiny.php on line 9
Errors parsing clients/tiny/Tiny.php
"""
COMPOSER = "Your requirements could not be resolved.\n\n  Problem 1\n    - Root composer.json requires predis 99\n"
JAVAC = """[ERROR] COMPILATION ERROR :
[ERROR] /home/me/java/clients/jedis/JedisAdapter.java:[7,27] cannot find symbol
[ERROR]   symbol:   class RedisClient
"""
JAVAC_WARNING = """[WARNING] COMPILATION WARNING :
[WARNING] /home/me/java/runner/src/main/java/respmark/Slices.java:[102,42] found raw type: java.util.List
  missing type arguments for generic class java.util.List<E>
[ERROR] COMPILATION ERROR :
[ERROR] /home/me/java/runner/src/main/java/respmark/Slices.java: warnings found and -Werror specified
"""
PIP = """WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError(refused)': /simple/redis/
ERROR: Could not find a version that satisfies the requirement redis==99
ERROR: No matching distribution found for redis==99
"""
CARGO = """error[E0599]: no method named `mget` found for reference `&C` in the current scope
   --> clients/redis-rs/redis_rs.rs:101:43
    |
error: could not compile `respmark-redis-rs` (bin "redis-rs") due to 1 previous error
"""
GO = """go: downloading github.com/redis/go-redis/v9 v9.99.0
go: github.com/redis/go-redis/v9@v9.99.0: invalid version: unknown revision v9.99.0
"""
GO_COMPILER = """# respmark/client
./adapter.go:79:9: undefined: redis.Nothing
./adapter.go:80:9: too many errors
"""
NUGET = """  Determining projects to restore...
/home/me/dotnet/src/Respmark.csproj : error NU1102: Unable to find package A with version (= 2.2.50)
/home/me/dotnet/src/Respmark.csproj : error NU1102:   - Found 1 version(s) in feed [ Nearest version: 1.2.6 ]
"""


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (NPM, "npm error notarget No matching version found for redis@99.0.0."),
        (UV, "Request failed after 3 retries in 7.1s: Connection refused (os error 111)"),
        (UV_BUILD, "Failed to build `redis @ file:///home/me/redis-py`: SyntaxError: invalid syntax"),
        (PYTHON, "clients/tiny/tiny.py: line 12: SyntaxError: '(' was never closed"),
        (PHP, "Parse error: syntax error, unexpected end of file in clients/tiny/Tiny.php on line 9"),
        (COMPOSER, "Root composer.json requires predis 99"),
        (
            NUGET,
            "/home/me/dotnet/src/Respmark.csproj : error NU1102: Unable to find package A with version (= 2.2.50)",
        ),
        (GO, "github.com/redis/go-redis/v9@v9.99.0: invalid version: unknown revision v9.99.0"),
        (GO_COMPILER, "adapter.go:79:9: undefined: redis.Nothing"),
        (
            CARGO,
            "no method named `mget` found for reference `&C` in the current scope: clients/redis-rs/redis_rs.rs:101:43",
        ),
        ("Reading package lists...\nE: Unable to locate package nosuch\n", "E: Unable to locate package nosuch"),
        (JAVAC, "JedisAdapter.java:[7,27] cannot find symbol: class RedisClient"),
        (JAVAC_WARNING + JAVAC, "JedisAdapter.java:[7,27] cannot find symbol: class RedisClient"),
        (JAVAC_WARNING, "Slices.java:[102,42] found raw type: java.util.List"),
        (
            PIP,
            "ProxyError(refused): ERROR: Could not find a version that satisfies the requirement redis==99",
        ),
        ("\x1b[31mnpm error\x1b[0m 404 'foo@1' could not be found\n", "npm error 404 'foo@1' could not be found"),
        ("[ERROR] COMPILATION ERROR :\n[ERROR] A.java: -Werror specified\n", "[ERROR] A.java: -Werror specified"),
        ("", "it failed without a word"),
        ("x" * 1000, "x" * 299 + "…"),
    ],
)
def test_finds_the_package_managers_own_sentence(output: str, sentence: str) -> None:
    """Of a whole log, the sentence that tells why is found; what is too long for a table's note is cut."""
    assert decisive(output) == sentence
