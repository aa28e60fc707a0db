#!/bin/sh
# Builds a library's checkout, which is the working folder, as its own scripts do, and packs what users would install:
# sh commit.sh PACKAGE. Of a repository with several packages, those that PACKAGE depends on are packed, too. They are in
# .respmark, which install.sh takes.
set -eu
if [ -e package-lock.json ]; then npm ci --no-audit --no-fund; else npm install --no-audit --no-fund; fi
npm run build-all --if-present
npm run build --if-present
rm -rf .respmark .respmark-packed
mkdir .respmark-packed
npm query ":root, .workspace" | node "$(dirname "$0")/workspaces.mjs" "$1" | while read -r folder; do
    npm pack "$folder" --pack-destination .respmark-packed
done
mv .respmark-packed .respmark
