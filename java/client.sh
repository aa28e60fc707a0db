#!/bin/sh
# Prepares a copy of a client's folder for Maven: sh client.sh LIBRARY OPTION... Its POM is that of all libraries unless it has
# its own; the options go where every call of Maven finds them.
set -eu
pom=clients/$1/pom.xml
[ -e "$pom" ] || cp clients/library.xml "$pom"
shift
mkdir -p .mvn
printf '%s\n' "$@" >>.mvn/maven.config
