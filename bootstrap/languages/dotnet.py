"""C#: the .NET SDK, the runner built against the current StackExchange.Redis, and once against each pinned version."""

from bootstrap.model import DEVELOPMENT, Check, Language, Need, Step

# Nothing that a build starts may outlive it: neither its own workers nor a compiler that waits for the next one.
QUIET = ("--configuration", "Release", "--tl:off", "-nodeReuse:false", "-p:UseSharedCompilation=false")
PROJECTS = ("dotnet/*.props", "dotnet/.editorconfig", "dotnet/*/*.csproj")
VARIABLES = ("StackExchangeRedisVersion", "RestoreSources")

DOTNET = Language(
    name="dotnet",
    needs=(
        Need(
            commands=("dotnet",),
            minimum=(10,),
            packages=("dotnet-sdk-10.0",),
            advice="Install the .NET SDK 10 (https://dotnet.microsoft.com/download), put `dotnet` on PATH",
        ),
    ),
    steps=(
        Step(
            name="dotnet-default",
            says=".NET runner and benchmarks built",
            commands=tuple(("{dotnet}", "build", f"dotnet/{project}", *QUIET) for project in ("src", "bare", "bench")),
            inputs=(*PROJECTS, "dotnet/src/**/*.cs", "dotnet/bare/**/*.cs", "dotnet/bench/**/*.cs"),
            makes=".build/dotnet/default",
            proof=".build/dotnet/default/bin/Respmark/release/respmark.dll",
            variables=VARIABLES,
        ),
        Step(
            name="dotnet-{name}",
            says=".NET runner built with {name}",
            commands=tuple(
                ("{dotnet}", "build", f"dotnet/{project}", *QUIET, "-p:RespmarkEnvironment={name}")
                for project in ("src", "bare")
            ),
            inputs=(*PROJECTS, "{file}", "dotnet/src/**/*.cs", "dotnet/bare/**/*.cs"),
            makes=".build/dotnet/{name}",
            proof=".build/dotnet/{name}/bin/Respmark/release/respmark.dll",
            each="dotnet/environments/*.props",
            environment="{name}",
            variables=VARIABLES,
        ),
        Step(
            name="dotnet-tests",
            says=".NET tests built",
            commands=(("{dotnet}", "build", "dotnet/tests", *QUIET),),
            inputs=(*PROJECTS, "dotnet/src/**/*.cs", "dotnet/tests/**/*.cs"),
            makes=".build/dotnet/default/bin/Respmark.Tests",
            proof=".build/dotnet/default/bin/Respmark.Tests/release/respmark-tests.dll",
            environment="dev",
            purposes=DEVELOPMENT,
            variables=VARIABLES,
        ),
    ),
    tests=Check(
        "dotnet",
        ("{dotnet}", "test", ".build/dotnet/default/bin/Respmark.Tests/release/respmark-tests.dll", "--nologo"),
    ),
    lints=(
        Check(
            "dotnet: dotnet format",
            ("{dotnet}", "format", "respmark.slnx", "--verify-no-changes", "--no-restore"),
            "dotnet",
        ),
    ),
    development="dev",
)
