"""Java: a JDK and Maven, the packages of the POMs; the runner, its bare loops and its benchmarks, as jars.

The runner is built again with each older version of a library, which its POM has as a profile.
"""

from bootstrap.model import Check, Language, Need, Step

MAVEN = ("{mvn}", "--batch-mode", "--no-transfer-progress", "-Dmaven.repo.local=../.build/maven")
"""With a repository of the checkout's own: what the set-up downloads is all that the build and the tests use."""
ADAPTERS = ("java/runner/src/jedis*/**/*", "java/runner/src/lettuce*/**/*")
"""What of an adapter differs between versions of its library."""
ADVICE = "Install a JDK (17 or later) and Maven (3.6.3 or later), put both on PATH"


def older(version: str) -> Step:
    """Describe the runner built with an older version of one library: a profile of its POM."""
    return Step(
        name=f"java-{version}",
        says=f"Java runner built with {version}",
        commands=((*MAVEN, "--quiet", "-pl", "runner", "package", "-Dmaven.test.skip", f"-Denvironment={version}"),),
        inputs=("java/pom.xml", "java/runner/pom.xml", "java/runner/src/main/**/*", *ADAPTERS),
        makes=f"java/runner/target/{version}",
        proof=f"java/runner/target/{version}/respmark-runner.jar",
        folder="java",
        environment=version,
    )


JAVA = Language(
    name="java",
    needs=(
        Need(
            commands=("javac", "java"),
            minimum=(17,),
            packages=("default-jdk-headless",),
            # Debian numbers it 1.17.
            package_minimum=(1, 17),
            advice=ADVICE,
        ),
        Need(commands=("mvn",), minimum=(3, 6, 3), packages=("maven",), advice=ADVICE),
    ),
    steps=(
        Step(
            name="java-packages",
            says="Java packages of java/pom.xml",
            commands=((*MAVEN, "--quiet", "dependency:go-offline"),),
            inputs=("java/pom.xml", "java/*/pom.xml"),
            makes=".build/maven",
            proof=".build/maven",
            folder="java",
        ),
        Step(
            name="java-build",
            says="Java runner and benchmarks built",
            commands=((*MAVEN, "--quiet", "package", "-DskipTests"),),
            inputs=("java/pom.xml", "java/*/pom.xml", "java/*/src/main/**/*", *ADAPTERS),
            makes="java/runner/target/default",
            proof="java/runner/target/default/respmark-runner.jar",
            folder="java",
        ),
        older("jedis-3.6.0"),
        older("lettuce-6.0.2.RELEASE"),
    ),
    tests=Check("java", (*MAVEN, "test"), "java"),
    lints=(
        Check("java: spotless", (*MAVEN, "--quiet", "spotless:check"), "java"),
        Check("java: error prone", (*MAVEN, "--quiet", "-Plint", "clean", "test-compile"), "java"),
    ),
    leaves=("java/runner/target", "java/bare/target", "java/bench/target", "java/target"),
)
