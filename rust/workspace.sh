#!/bin/sh
# Runs a command in a copy of the workspace with all clients, which has Cargo's lock file: sh workspace.sh cargo SUBCOMMAND...
# Each subcommand has its own: tests and linters may run at the same time.
set -eu
cd "$(dirname "$0")"
copy=../.build/rust-workspace-$2
rm -rf "$copy"
mkdir -p "$copy"
cp -Rp Cargo.toml clients locked.toml runner "$copy"
cd "$copy"
sh ../../rust/lock.sh locked.toml
exec "$@"
