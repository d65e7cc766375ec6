#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every source in place. `--check` changes nothing and fails where a file differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
if [ "${1:-}" = --check ]; then
  cpp=(--dry-run -Werror) py=(--check)
else
  cpp=(-i) py=()
fi
folders=()
for folder in npugraph tests bench examples fuzz; do
  [ -d "$folder" ] && folders+=("$folder")
done
failed=0
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' -o -name '*.c' \) -print0 |
  xargs -0 -r .venv/bin/clang-format "${cpp[@]}" || failed=1
.venv/bin/python -m ruff format -q "${py[@]}" . || failed=1
exit $failed
