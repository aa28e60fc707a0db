#!/bin/sh
# Installs a build of one's own: sh install.sh FOLDER PACKAGE PATH. PATH is a folder or a tarball, as npm takes it, or a
# checkout that commit.sh has built.
set -eu
folder=$1 package=$2 path=$3
set -- "$path"/.respmark/*.tgz
[ -e "$1" ] || set -- "$package@file:$path"
npm install --no-audit --no-fund --install-links --prefix "$folder" "$@"
