#!/bin/sh
# Makes Cargo.lock of a file like locked.toml, in which each package's registry is left out: sh lock.sh FILE. Cargo, asked
# for a lock file of its own, says how it names that.
set -eu
rm -f Cargo.lock
cargo generate-lockfile --quiet
source=$(grep -m 1 '^source = ' Cargo.lock)
sed "/^checksum = /i $source" "$1" >Cargo.lock
