#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a clone usable: Debian packages, .venv, the release build, and its installation into .venv.
# A second run does only what changed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

install_packages() {
  local id version missing=() package
  id=$(. /etc/os-release && echo "${ID:-unknown}")
  version=$(. /etc/os-release && echo "${VERSION_ID:-unknown}")
  case "$id $version" in
    "debian 12" | "debian 13") ;;
    *) echo "note: found $id $version, expected debian 12 or debian 13; going on all the same" ;;
  esac
  command -v dpkg-query >/dev/null || stop "found no dpkg; expected Debian. Install what dev/apt.txt" \
    "names in your system's way, then run: cmake --preset release -DNPUGRAPH_PYTHON=ON"
  while read -r package; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      missing+=("$package")
  done <dev/apt.txt
  [ ${#missing[@]} -eq 0 ] && return
  say "installing Debian packages: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    stop "packages are missing, and neither root nor sudo is there; as root, run:" \
      "apt-get install ${missing[*]}"
  as_root apt-get update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    "${missing[@]}"
}

# The interpreter of Debian, not one of a version manager: its headers are the packaged ones.
make_venv() {
  local python=/usr/bin/python3 stamp=.venv/.npugraph-stamp wanted
  [ -x "$python" ] || python=$(command -v python3) || stop "found no python3; expected 3.11 or newer"
  wanted="$root $("$python" -V) $(sha256sum dev/requirements.txt | cut -c1-64)"
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  say "making .venv and installing dev/requirements.txt"
  # A venv holds its own path and its interpreter's version: of another one nothing can be kept.
  if [ -f .venv/bin/python ] && [ "$(.venv/bin/python -V 2>&1)" != "$("$python" -V)" ]; then
    rm -rf .venv build/release/CMakeCache.txt
  fi
  if [ -f "$stamp" ] && [[ "$(cat "$stamp")" != "$root "* ]]; then
    rm -rf .venv
  fi
  "$python" -m venv .venv
  .venv/bin/python -m pip install --disable-pip-version-check -r dev/requirements.txt
  printf '%s\n' "$wanted" >"$stamp"
}

build_release() {
  local cache=build/release/CMakeCache.txt
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf build  # the folder was moved or copied
  fi
  say "building the release preset with $jobs jobs"
  cmake --preset release -DNPUGRAPH_PYTHON=ON -DPython_EXECUTABLE="$root/.venv/bin/python" \
    --log-level=WARNING
  cmake --build build/release -j "$jobs"
}

install_into_venv() {
  local site
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  rm -rf "$site/npugraph" .venv/include/npugraph
  cmake --install build/release --prefix "$root/.venv" >build/release/install.log ||
    stop "installing into .venv failed; see build/release/install.log"
  say "installed: .venv/bin/npugraph and the Python package npugraph"
}

install_packages
make_venv
build_release
install_into_venv
