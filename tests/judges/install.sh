#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Install the judges: libsdformat's command line and ../shared/judges into .judges, Python's into .venv-judges, and an
# older pxr into .judges too: our own Python runs it, by PYTHONPATH.
# Exits with 77 and a reason where they cannot be had here.
set -euo pipefail
cd "$(dirname "$0")/../.."
uv=$1
source=${LIMBERJACK_SHARED:-../shared}/judges
cannot() { echo "judges: NOT INSTALLED: $1" >&2; exit 77; }

[ -d "$source" ] || cannot "there is no $source (set LIMBERJACK_SHARED)"
packages=(libsdformat-dev sdformat-sdf ignition-tools nlohmann-json3-dev libeigen3-dev libboost-dev g++ make pkg-config)
if ! dpkg -s "${packages[@]}" >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || cannot "run as root once: apt-get install ${packages[*]}"
    apt-get -o DPkg::Lock::Timeout=300 update -q >/dev/null || cannot "apt-get update failed"
    apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "${packages[@]}" >/dev/null ||
        cannot "apt-get install ${packages[*]} failed"
fi
mkdir -p .judges
cp -r "$source"/. .judges/
chmod -R u+w .judges
make --silent -C .judges/sdfdump
"$uv" venv --quiet --clear --python 3.11 .venv-judges
"$uv" pip sync --quiet --python .venv-judges --require-hashes requirements/judges.txt
"$uv" pip install --quiet --python .venv-judges --target .judges/usd-25.2 --require-hashes -r requirements/older_usd.txt
