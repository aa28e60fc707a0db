"""PHP: phpredis is a part of PHP itself; Composer brings predis, each version into a folder of its own."""

from bootstrap.model import DEVELOPMENT, EVERY, Check, Language, Need, Packages, Purpose, Step

COMPOSER = Packages(("composer", "unzip"), ("composer", "--version"), "composer not found on PATH")
TOOLS = Packages(
    ("composer", "unzip", "php-mbstring", "php-xml"),
    ("{php}", "-r", "exit((int) !(extension_loaded('mbstring') && extension_loaded('dom')));"),
    "PHP's extensions mbstring and dom are not loaded",
)


def composer(  # noqa: PLR0913 - the parts of one sentence: "ENVIRONMENT is FOLDER, restored by what stands in MANIFESTS"
    name: str,
    manifests: str,
    environment: str,
    *,
    up: str,
    options: tuple[str, ...] = (),
    purposes: frozenset[Purpose] = EVERY,
    packages: Packages = COMPOSER,
) -> Step:
    """Describe a folder of packages: what the manifests' `composer.json` asks for; `up` leads to the root."""
    folder = f".build/php/{name}"
    # Composer breaks its sentences at the terminal's width.
    settings = ("COMPOSER_ALLOW_SUPERUSER=1", "COLUMNS=1000", f"COMPOSER_VENDOR_DIR={up}/{folder}")
    quiet = ("--no-interaction", "--no-progress", "--no-ansi")
    return Step(
        name=f"php-{name}",
        says=f"Composer packages of {manifests}/composer.json{'' if options else ', with tools'}",
        commands=(("env", *settings, "composer", "install", *quiet, *options),),
        inputs=(f"{manifests}/composer.json",),
        makes=folder,
        proof=f"{folder}/autoload.php",
        folder=manifests,
        environment=environment,
        purposes=purposes,
        packages=packages,
    )


PHP = Language(
    name="php",
    needs=(
        Need(
            commands=("php",),
            minimum=(8, 2),
            packages=("php-cli", "php-redis", "php-igbinary", "composer", "unzip"),
            advice="Install PHP 8.2 or later with its redis extension, put it on PATH",
        ),
    ),
    steps=(
        Step(
            name="php-phpredis",
            says="PHP's redis extension",
            commands=(
                ("mkdir", "-p", ".build/php"),
                ("{php}", "-r", "file_put_contents('.build/php/phpredis', phpversion('redis'));"),
            ),
            inputs=(),
            makes=".build/php/phpredis",
            proof=".build/php/phpredis",
            environment="phpredis",
            packages=Packages(
                ("php-redis", "php-igbinary"),
                ("{php}", "-r", "exit((int) !extension_loaded('redis'));"),
                "the PHP extension redis is not loaded",
            ),
        ),
        composer("default", "php", "predis", up="..", options=("--no-dev",)),
        composer(
            "predis-1.1.10", "php/environments/predis-1.1.10", "predis-1.1.10", up="../../..", options=("--no-dev",)
        ),
        Step(
            name="php-predis-distribution",
            says="predis as Debian packages it",
            commands=(
                (
                    "install",
                    "-D",
                    "php/environments/predis-distribution/autoload.php",
                    ".build/php/predis-distribution/autoload.php",
                ),
            ),
            inputs=("php/environments/predis-distribution/autoload.php",),
            makes=".build/php/predis-distribution",
            proof=".build/php/predis-distribution/autoload.php",
            environment="predis-distribution",
            packages=Packages(
                ("php-nrk-predis",),
                ("test", "-e", "/usr/share/php/Predis/Autoloader.php"),
                "Debian's php-nrk-predis is not installed",
            ),
        ),
        composer("dev", "php", "dev", up="..", purposes=DEVELOPMENT, packages=TOOLS),
    ),
    tests=Check("php", ("{php}", "../.build/php/dev/bin/phpunit"), "php"),
    lints=(
        Check(
            "php: php-cs-fixer", ("{php}", "../.build/php/dev/bin/php-cs-fixer", "check", "--show-progress=none"), "php"
        ),
        Check(
            "php: phpstan",
            ("{php}", "../.build/php/dev/bin/phpstan", "analyse", "--no-progress", "--memory-limit=1G"),
            "php",
        ),
    ),
    development="dev",
)
