#!/bin/sh
# Builds the client whose folder lies in clients/ of the working folder, a copy of the core: sh build.sh LIBRARY MANIFEST
# [PACKAGE]. MANIFEST is the Cargo.toml of the client that fits its version, PACKAGE what is built instead of the pinned
# one (redis@=0.27.0, or --path=FOLDER). Its program is ../respmark, and ../packages.txt says which packages are in it.
set -eu
library=$1 manifest=$2 package=${3:-} locked=clients/$1/locked.toml
[ -e "$locked" ] || locked=locked.toml
[ "$manifest" = Cargo.toml ] || cp "clients/$library/$manifest" "clients/$library/Cargo.toml"
sh lock.sh "$locked"
[ -z "$package" ] || cargo add --quiet --package "respmark-$library" "$package"
# Leaves out of the lock file what this client does not need.
cargo metadata --quiet --format-version 1 >/dev/null
if [ -z "$package" ] && grep -qx "name = \"respmark-$library\"" "$locked"; then
    if grep '^checksum = ' Cargo.lock | grep -vxFf "$locked"; then
        echo "error: $locked lacks packages of $library: respmark setup $library --lock" >&2
        exit 1
    fi
fi
# What is compiled serves all clients, where they have the same packages with the same features.
cargo build --quiet --release --locked --bin "$library" --target-dir ../../target
cargo tree --locked --package "respmark-$library" --edges normal --prefix none >../packages.txt
cp "../../target/release/$library" ../respmark
