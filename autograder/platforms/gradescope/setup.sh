#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image. It may be run again.
# It takes a Python of 3.11 or newer, makes a virtual environment of its own (the platform's
# python3 is left alone), and ends by grading two notebooks: an image that cannot grade fails here.
set -euo pipefail
umask 022 # student code runs as another user and reads the environment
export DEBIAN_FRONTEND=noninteractive
AUTOGRADER="${AUTOGRADER:-/autograder}"
VENV="${AUTOGRADER_VENV:-/opt/attention-homework-kit}"
# Where torch's CPU build comes from; empty where a plain `pip install torch` brings it already.
TORCH_INDEX="${TORCH_INDEX-https://download.pytorch.org/whl/cpu}"
UV=0.13.9
SOURCE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
NEWER=(python3.11 python3.12 python3.13 python3.14)

trap 'echo "setup.sh: failed in line $LINENO: $BASH_COMMAND" >&2' ERR

fail() {
    echo "setup.sh: $1" >&2
    exit 1
}

suits() { # a program: is it Python 3.11 or newer, and can it make a virtual environment?
    # Ubuntu 22.04 has a candidate of 3.11.0, on which torch cannot make an optimizer.
    command -v "$1" >/dev/null && "$1" -c '
import sys, venv, ensurepip
sys.exit(sys.version_info < (3, 11) or sys.version_info.releaselevel != "final")' 2>/dev/null
}

there() { # the first Python that is there
    local candidate
    for candidate in "${NEWER[@]}" python3; do
        if suits "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

in_the_image() { # packages are for the platform's image, and not for a machine that simulates it
    [ "$AUTOGRADER" = /autograder ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null
}

from_packages() { # the first Python that the image's package manager has
    in_the_image || return 1
    apt-get update -q >&2 || return 1
    local candidate
    for candidate in "${NEWER[@]}"; do
        if apt-get install -qy --no-install-recommends "$candidate" "$candidate-venv" >&2 &&
            suits "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

from_uv() { # a Python that uv brings, where all may read it
    local home="$VENV-uv"
    export UV_PYTHON_INSTALL_DIR="$VENV-python"
    if ! python3 -m venv "$home" >&2; then
        in_the_image && apt-get install -qy --no-install-recommends python3-venv >&2 &&
            python3 -m venv "$home" >&2 || return 1
    fi
    "$home/bin/python" -m pip install -q "uv==$UV" >&2 &&
        "$home/bin/uv" python install 3.11 >&2 &&
        "$home/bin/uv" python find --no-project 3.11
}

if PYTHON="$(there)"; then
    echo "setup.sh: $("$PYTHON" --version) is there: $PYTHON"
elif PYTHON="$(from_packages)"; then
    echo "setup.sh: $("$PYTHON" --version) from the image's packages: $PYTHON"
elif PYTHON="$(from_uv)"; then
    echo "setup.sh: $("$PYTHON" --version) from uv $UV: $PYTHON"
else
    fail "no Python of 3.11 or newer is here, and neither the package manager nor uv $UV brought one (their messages are above); choose the base image Ubuntu 24.04"
fi

# The filter of system calls needs this library; most images have it.
if in_the_image && ! "$PYTHON" -c 'import ctypes; ctypes.CDLL("libseccomp.so.2")' 2>/dev/null; then
    { apt-get update -q && apt-get install -qy --no-install-recommends libseccomp2; } ||
        fail "libseccomp2 cannot be installed, and without it student code would have a network"
fi

WANTED="$("$PYTHON" --version; cat "$SOURCE/requirements.txt" "$SOURCE/torch.txt")"
if [ "$WANTED" = "$(cat "$VENV/installed" 2>/dev/null)" ]; then
    echo "setup.sh: what is needed is installed in $VENV"
else
    "$PYTHON" -m venv --clear "$VENV" || fail "no virtual environment can be made in $VENV"
    PIP=("$VENV/bin/python" -m pip install -q --disable-pip-version-check --no-input)
    "${PIP[@]}" -r "$SOURCE/requirements.txt" ||
        fail "the requirements cannot be installed (pip's messages are above); is the network there?"
    [ ! -s "$SOURCE/torch.txt" ] || "${PIP[@]}" ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} -c "$SOURCE/requirements.txt" -r "$SOURCE/torch.txt" ||
        fail "torch cannot be installed from ${TORCH_INDEX:-the usual index}; set TORCH_INDEX at the top of setup.sh"
    echo "$WANTED" >"$VENV/installed"
fi
PACKAGES="$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
rm -rf "$PACKAGES/autograder"
cp -R "$SOURCE/autograder" "$PACKAGES/"
chmod -R a+rX "$PACKAGES/autograder"
"$VENV/bin/python" -m compileall -q "$PACKAGES/autograder"

[ ! -s "$SOURCE/torch.txt" ] ||
    "$VENV/bin/python" -I -c 'import torch; torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)' ||
    fail "torch does not work with $("$PYTHON" --version)"
# matplotlib looks for the fonts here, and not again for every submission.
! grep -qi '^matplotlib==' "$SOURCE/requirements.txt" || "$VENV/bin/python" -I -c 'import matplotlib.font_manager'
"$VENV/bin/python" -I -m autograder.platforms.gradescope try "$AUTOGRADER" || exit 1 # its last line is the reason
echo "setup.sh: done"
