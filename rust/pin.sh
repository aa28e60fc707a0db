#!/bin/sh
# Pins the packages of the client whose folder lies in clients/ of the working folder, a copy of the core: sh pin.sh
# LIBRARY FOLDER CORE. FOLDER is the client's own: in the core, which has one lock for all of its clients, or elsewhere;
# then the lock, which is the core's with what this client needs, is the folder's.
set -eu
library=$1 folder=$2 core=$3
lock='cargo metadata --quiet --format-version 1 >/dev/null && grep -v "^source = " Cargo.lock'
if [ "$folder" = "$core/clients/$library" ]; then
    sh "$core/workspace.sh" sh -c "$lock" >new.toml
    mv new.toml "$core/locked.toml"
else
    sh lock.sh locked.toml
    sh -c "$lock" >new.toml
    mv new.toml "$folder/locked.toml"
fi
