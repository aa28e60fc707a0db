#!/bin/sh
# Makes Cargo.lock of locked.toml, in which each package's registry is left out: Cargo, asked for a lock file of its own,
# says how it names that. `sh lock.sh update` renews locked.toml.
set -eu
cd "$(dirname "$0")"
rm -f Cargo.lock
cargo generate-lockfile --quiet
if [ "${1:-}" = update ]; then
    grep -v '^source = ' Cargo.lock >locked.toml
    exit
fi
source=$(grep -m 1 '^source = ' Cargo.lock)
sed "/^checksum = /i $source" locked.toml >Cargo.lock.new
mv Cargo.lock.new Cargo.lock
cargo metadata --quiet --locked --format-version 1 >/dev/null
