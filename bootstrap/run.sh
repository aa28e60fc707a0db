#!/bin/sh
# Start the set-up with a Python. On a machine that has none: install it where the user lets us, else say how.
cd "$(dirname "$0")/.." || exit 3
python=${PYTHON:-python3}
install='apt-get install -y --no-install-recommends python3 python3-venv'

allowed() {
    case "${RESPMARK_SYSTEM_PACKAGES:-}" in
    yes) return 0 ;;
    '') [ -t 0 ] && [ -t 1 ] || return 1 ;;
    *) return 1 ;;
    esac
    printf 'python3 is not installed. Install it, with `%s`? [y/N] ' "$install"
    read -r answer
    case "$answer" in [yY] | [yY][eE][sS]) return 0 ;; *) return 1 ;; esac
}

if ! command -v "$python" >/dev/null 2>&1; then
    as_root=
    if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then as_root='sudo -n'; fi
    if [ "$python" = python3 ] && command -v apt-get >/dev/null &&
        { [ "$(id -u)" = 0 ] || [ -n "$as_root" ]; } && allowed; then
        echo "Installing python3: $install"
        # shellcheck disable=SC2086 # both are lists of words
        { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive $install; } >/dev/null || exit 3
    else
        echo "$python is not on PATH; respmark needs Python 3.11 or later." >&2
        if command -v apt-get >/dev/null; then
            echo "As root, type: apt-get update && $install" >&2
            if [ "$(id -u)" = 0 ] || [ -n "$as_root" ]; then
                echo "Or let set-up do it: RESPMARK_SYSTEM_PACKAGES=yes" >&2
            fi
        else
            echo "Install one: https://docs.astral.sh/uv/guides/install-python" >&2
        fi
        echo "Or name another one: make bench PYTHON=/path/to/python3.11" >&2
        exit 3
    fi
fi
PYTHONPATH=. exec "$python" -m bootstrap "$@"
