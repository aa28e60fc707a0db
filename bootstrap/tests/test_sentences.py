"""The decisive sentence of real outputs."""

import pytest

from bootstrap.sentences import decisive

NPM_NO_VERSION = """npm warn Unknown user config "nodedir".
npm error code ETARGET
npm error notarget No matching version found for redis@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting a package version that doesn't exist.
npm error A complete log of this run can be found in: /home/you/.npm/_logs/debug-0.log
"""
NPM_OUT_OF_STEP = """npm error code EUSAGE
npm error
npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.
npm error
npm error Invalid: lock file's is-number@7.0.0 does not satisfy is-number@6.0.0
"""
NPM_NO_NETWORK = """npm error code ECONNREFUSED
npm error syscall connect
npm error errno ECONNREFUSED
npm error FetchError: request to http://127.0.0.1:9/redis failed, reason: connect ECONNREFUSED 127.0.0.1:9
npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/index.js:130:14)
"""
NPM_OLD = """npm ERR! code ETARGET
npm ERR! notarget No matching version found for redis@99.0.0.
"""
NPM_BUILD = """
> respmark-node@0.1.0 build
> tsc

src/main.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.
npm error Lifecycle script `build` failed with error:
npm error code 2
"""
UV_NO_VERSION = """Using Python 3.11.2 environment at: .build/harness
error: No solution found when resolving dependencies
  cause: Because there is no version of redis==99 and you require redis==99, your requirements are unsatisfiable.
"""
UV_NO_NETWORK = """error: Request failed after 3 retries in 7.1s
  cause: Failed to fetch: http://127.0.0.1:9/simple/redis/
  cause: tcp connect error
  cause: Connection refused (os error 111)
"""
UV_HASH = """Resolved 1 package in 38ms
error: Failed to download `redis==8.1.0`
  cause: Hash mismatch for `redis==8.1.0`

         Expected:
           sha256:0000
"""
UV_OLD = """  \N{MULTIPLICATION SIGN} No solution found when resolving dependencies:
  ╰─▶ Because there is no version of redis==99 and you require redis==99, ...
"""
PIP = """Looking in links: /wheels
ERROR: Could not find a version that satisfies the requirement uv==99 (from versions: 0.0.5, 0.1.0)
ERROR: No matching distribution found for uv==99
"""
COMPOSER_NO_NETWORK = """Composer is operating slower than normal because you do not have the curl extension.
Loading composer repositories with package information

In RemoteFilesystem.php line 476:

  The "https://packages.test/packages.json" file could not be downloaded: getaddrinfo failed: Name or service not known

install [--prefer-source] [--prefer-dist] [--dry-run]
"""
COMPOSER_NO_VERSION = """Updating dependencies
Your requirements could not be resolved to an installable set of packages.

  Problem 1
    - Root composer.json requires predis/predis 99, found predis/predis[3.7.1] but it does not match the constraint.
"""
PIP_NO_NETWORK = """WARNING: Retrying (total=0) after connection broken by 'SSLError(1, 'verify failed')': /simple/uv/
ERROR: Could not find a version that satisfies the requirement uv==0.13.8 (from versions: none)
ERROR: No matching distribution found for uv==0.13.8
"""
APT = """Reading package lists...
E: Unable to locate package nosuch
"""
MAVEN = """[INFO] Scanning for projects...
[ERROR] Failed to execute goal on project runner: Could not resolve dependencies
[ERROR] -> [Help 1]
"""


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (NPM_NO_VERSION, "npm error notarget No matching version found for redis@99.0.0."),
        (
            NPM_OUT_OF_STEP,
            "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
        ),
        (
            NPM_NO_NETWORK,
            (
                "npm error FetchError: request to http://127.0.0.1:9/redis failed, "
                "reason: connect ECONNREFUSED 127.0.0.1:9"
            ),
        ),
        (NPM_OLD, "npm ERR! notarget No matching version found for redis@99.0.0."),
        (NPM_BUILD, "src/main.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."),
        (
            UV_NO_VERSION,
            (
                "error: No solution found when resolving dependencies: Because there is no version of redis==99 "
                "and you require redis==99, your requirements are unsatisfiable."
            ),
        ),
        (UV_NO_NETWORK, "error: Request failed after 3 retries in 7.1s: Connection refused (os error 111)"),
        (UV_HASH, "error: Failed to download `redis==8.1.0`: Hash mismatch for `redis==8.1.0`"),
        (
            UV_OLD,
            (
                "\N{MULTIPLICATION SIGN} No solution found when resolving dependencies: Because there is no version of "
                "redis==99 and you require redis==99, ..."
            ),
        ),
        (PIP, "ERROR: No matching distribution found for uv==99"),
        (PIP_NO_NETWORK, "ERROR: No matching distribution found for uv==0.13.8: SSLError(1, 'verify failed')"),
        (
            COMPOSER_NO_NETWORK,
            (
                'The "https://packages.test/packages.json" file could not be downloaded: '
                "getaddrinfo failed: Name or service not known"
            ),
        ),
        (
            COMPOSER_NO_VERSION,
            (
                "Root composer.json requires predis/predis 99, "
                "found predis/predis[3.7.1] but it does not match the constraint."
            ),
        ),
        (APT, "E: Unable to locate package nosuch"),
        (MAVEN, "[ERROR] Failed to execute goal on project runner: Could not resolve dependencies"),
        ("\x1b[31mnpm error\x1b[0m 404 'foo@1' could not be found\n", "npm error 404 'foo@1' could not be found"),
        ("one\ntwo\n\n", "two"),
        ("", "it failed without a word"),
    ],
)
def test_finds_the_package_managers_own_sentence(output: str, sentence: str) -> None:
    """Of a whole log, the sentence that tells why is found."""
    assert decisive(output) == sentence


def test_a_long_sentence_is_cut() -> None:
    """A sentence has to fit in a table's note."""
    assert len(decisive("x" * 1000)) == 300


def test_nugets_own_sentence_stands_without_the_project_before_it() -> None:
    """A version that no source has: what NuGet says of it, not where our project lies."""
    output = """  Determining projects to restore...
/home/me/respmark/dotnet/src/Respmark.csproj : error NU1102: Unable to find package A with version (= 2.2.50)
/home/me/respmark/dotnet/src/Respmark.csproj : error NU1102:   - Found 1 version(s) in feed [ Nearest version: 1.2.6 ]
"""
    assert decisive(output) == "error NU1102: Unable to find package A with version (= 2.2.50)"
