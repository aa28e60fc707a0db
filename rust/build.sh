#!/bin/sh
# Builds a client: sh build.sh NAME LIBRARY [MANIFEST PACKAGE]. Its program is .build/rust/NAME/respmark, beside it stands
# which packages are in it. With a PACKAGE (redis@=0.27.0, or --path=FOLDER) that is built in a copy of the workspace
# with the MANIFEST of the client that fits it, and as few other changes of the lock file as that needs.
set -eu
cd "$(dirname "$0")"
built=$PWD/../.build/rust
name=$1 library=$2 locked=--locked
mkdir -p "$built/$name"
if [ $# -gt 2 ]; then
    copy=$built/$name/workspace
    rm -rf "$copy"
    mkdir -p "$copy/clients"
    cp -R Cargo.toml Cargo.lock runner "$copy"
    cp -R "clients/$library" "$copy/clients"
    cp "clients/$library/$3" "$copy/clients/$library/Cargo.toml"
    cd "$copy"
    cargo add --quiet --package "respmark-$library" "$4"
    locked=
fi
# Of the workspace, though one program alone is built: so all have the same dependencies, which are compiled once.
cargo build --quiet --release $locked --workspace --bin "$library" --target-dir "$built/target"
cargo tree $locked --package "respmark-$library" --edges normal --prefix none >"$built/$name/packages.txt"
cp "$built/target/release/$library" "$built/$name/respmark"
