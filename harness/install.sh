#!/bin/sh
# Make the harness's virtual environment with the packages of a lock file, unless it is there:
#
#   sh harness/install.sh                        what a run needs
#   sh harness/install.sh requirements-dev.txt   what tests and linters of the harness need, too
#
# Where Python, or its module venv, is missing: install it where the user lets us, else say what to type.
cd "$(dirname "$0")/.." || exit 3
python=${PYTHON:-python3}
lock=${1:-requirements.txt}
home=.build/harness

say() { echo "$@" >&2; }

allowed() { # may these packages be installed?
    as_root=
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root='sudo -n'
    fi
    case "${RESPMARK_SYSTEM_PACKAGES:-}" in
    yes) return 0 ;;
    '') [ -t 0 ] && [ -t 1 ] || return 1 ;;
    *) return 1 ;;
    esac
    printf 'Install %s, with `apt-get install`? [y/N] ' "$*"
    read -r answer
    case "$answer" in [yY] | [yY][eE][sS]) return 0 ;; *) return 1 ;; esac
}

may_have() { # is there such a package, or are there no lists to look it up in?
    command -v apt-get >/dev/null || return 1
    apt-cache policy "$1" | grep -q 'Candidate: [0-9]' || ! apt-cache policy | grep -q '://'
}

bring() { # install packages, or say how to
    if allowed "$@"; then
        say "Installing $*"
        $as_root apt-get update >/dev/null
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >/dev/null && return
    elif may_have "$1"; then
        say "As root, type: apt-get update && apt-get install -y --no-install-recommends $*"
        say 'Or let set-up do it: RESPMARK_SYSTEM_PACKAGES=yes'
    fi
    say 'uv brings a Python, and does without venv: https://docs.astral.sh/uv/getting-started/installation'
    say 'Or name another one: make bench PYTHON=/path/to/python3.11'
    exit 3
}

newer() { # a Python that is new enough: one on PATH, else a package
    for minor in 14 13 12 11; do
        "python3.$minor" -c '' 2>/dev/null && say "A newer one is here: make bench PYTHON=python3.$minor" && exit 3
    done
    for minor in 14 13 12 11; do
        command -v apt-cache >/dev/null && apt-cache policy "python3.$minor" | grep -q 'Candidate: 3' &&
            say "As root, type: apt-get install python3.$minor python3.$minor-venv" &&
            say "Then: make bench PYTHON=python3.$minor" && exit 3
    done
    say 'uv brings one: https://docs.astral.sh/uv/guides/install-python'
    exit 3
}

if ! command -v "$python" >/dev/null; then
    say "$python is not on PATH; respmark needs Python 3.11 or later."
    bring python3 python3-venv
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "respmark needs Python 3.11 or later; $python is $("$python" -c 'import sys; print(sys.version.split()[0])')."
    newer
fi

# What is installed, and where; the environment for tests and lint serves a run as well.
state() {
    "$python" -c 'import os, sys; print(os.path.realpath(sys.executable), sys.version, os.getcwd())'
    cat harness/pyproject.toml "harness/$1"
}
for done in "$lock" requirements-dev.txt; do
    [ -f "$home/$done" ] && [ "$(state "$done")" = "$(cat "$home/$done")" ] && exit 0
done

uv=$(command -v uv)
say "Python packages of harness/$lock"
mkdir -p .build/log
{
    rm -f "$home"/requirements*.txt
    # One of another Python is made anew: venv would mix the two.
    real='import os, sys; print(os.path.realpath(sys.executable))'
    [ "$("$home/bin/python" -c "$real" 2>/dev/null)" = "$("$python" -c "$real")" ] || rm -rf "$home"
    if [ -n "$uv" ]; then
        "$uv" venv --quiet --allow-existing --python "$python" "$home"
    else
        "$python" -c 'import ensurepip' 2>/dev/null || {
            say "$python cannot make virtual environments: it has no ensurepip."
            bring "$("$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])')"
        }
        # uv alone with pip, then everything with uv: in seconds, and without what no lock file names.
        sed -n '/^uv==/,/[^\\]$/p' "harness/$lock" >.build/uv.txt
        uv=$home/bin/uv
        "$python" -m venv "$home" &&
            "$home/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r .build/uv.txt
    fi &&
        "$uv" pip sync --quiet --python "$home/bin/python" --compile-bytecode --require-hashes "harness/$lock" &&
        "$uv" pip install --quiet --python "$home/bin/python" --no-deps --editable harness
} 2>&1 | tee .build/log/harness.log >&2
[ -x "$home/bin/respmark" ] && "$home/bin/respmark" --version >/dev/null || {
    say 'The harness could not be installed; see .build/log/harness.log. The next call begins where this one ended.'
    exit 3
}
state "$lock" >"$home/$lock"
