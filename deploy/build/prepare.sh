#!/bin/sh
# Finds a Python that can build this tree and hands over to prepare.py: sh deploy/build/prepare.sh [services|local|all]
# PYTHON=/path/to/python chooses one. What stands already in .venv is used when it still runs.
set -eu

cd "$(dirname "$0")/../.."
root=$(pwd)

suits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

can_make_environments() {
    suits "$1" && "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

if [ -z "${PYTHON:-}" ] && suits "$root/.venv/bin/python"; then
    exec "$root/.venv/bin/python" -m deploy.build.prepare "$@"
fi

without_venv=""
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if can_make_environments "$candidate"; then
        exec "$candidate" -m deploy.build.prepare "$@"
    fi
    if suits "$candidate"; then
        without_venv="$candidate"
    fi
done

if [ -n "$without_venv" ]; then
    echo "setup: $without_venv cannot make virtual environments; install its venv package (Debian, Ubuntu: python3-venv)" >&2
else
    echo "setup: no Python 3.11 or newer found (looked at: ${PYTHON:-python3, python3.11 to python3.14, python}); install one or name it: make PYTHON=/path/to/python3.11 ..." >&2
fi
exit 2
