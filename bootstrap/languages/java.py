"""Java: a JDK and Maven, the packages of the POMs; the runner, its bare loops and its benchmarks, as jars."""

from bootstrap.model import Check, Language, Need, Step

MAVEN = ("{mvn}", "--batch-mode", "--no-transfer-progress", "-Dmaven.repo.local=../.build/maven")
"""With a repository of the checkout's own: what the set-up downloads is all that the build and the tests use."""
ADVICE = "Install a JDK (17 or later) and Maven (3.6.3 or later), put both on PATH"

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
            inputs=("java/pom.xml", "java/*/pom.xml", "java/*/src/main/**/*"),
            makes="java/runner/target",
            proof="java/runner/target/respmark-runner.jar",
            folder="java",
        ),
    ),
    tests=Check("java", (*MAVEN, "test"), "java"),
    lints=(
        Check("java: spotless", (*MAVEN, "--quiet", "spotless:check"), "java"),
        Check("java: error prone", (*MAVEN, "--quiet", "-Plint", "clean", "test-compile"), "java"),
    ),
    leaves=("java/runner/target", "java/bare/target", "java/bench/target", "java/target"),
)
