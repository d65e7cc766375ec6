#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the C interface with the one that is committed, dev/abi/npugraph_c.abi: functions, their
# arguments, the layout of structs; and the names that libnpugraph.so exports with both.
#   --update  writes the committed one again, after a change that is meant
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

committed=dev/abi/npugraph_c.abi
header=npugraph/api/npugraph_c.h
library=build/release/libnpugraph.so
for tool in abidw abidiff; do
  command -v "$tool" >/dev/null ||
    stop "found no $tool; expected libabigail: apt-get install abigail-tools"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The interface is what the header says. Every declaration becomes a function in C, so that the
# description holds nothing of C++ and is the same for every compiler.
sed 's/NPUGRAPH_NOEXCEPT;/{ __builtin_trap(); }/' "$header" >"$work/npugraph_c.c"
cc -std=c11 -g -O0 -fPIC -shared -I. "$work/npugraph_c.c" -Wl,-soname,libnpugraph.so.0 \
  -o "$work/npugraph_c.so"
abidw --no-comp-dir-path --no-corpus-path --no-show-locs --type-id-style hash --no-elf-needed \
  "$work/npugraph_c.so" | sed "s|path='[^']*'|path='$header'|" >"$work/npugraph_c.abi"

exported() { nm -D --defined-only "$1" | awk '$3 ~ /^npugraph_/ {print $3}' | sort; }

if [ "${1:-}" = --update ]; then
  mkdir -p "$(dirname "$committed")"
  cp "$work/npugraph_c.abi" "$committed"
  echo "abi: wrote $committed"
  exit
fi
if ! abidiff "$committed" "$work/npugraph_c.abi"; then
  stop "the C interface in $header is not the one in $committed (differences above)." \
    "If something was added: raise NPUGRAPH_C_API_VERSION and run dev/check_abi.sh --update." \
    "If something was removed or changed, programs that are built already break: undo it, or raise" \
    "the major version of the project first"
fi
if [ -e "$library" ]; then
  exported "$work/npugraph_c.so" >"$work/declared"
  exported "$library" >"$work/exported"
  diff "$work/declared" "$work/exported" ||
    stop "$library does not export exactly the functions that $header declares ('<' is missing," \
      "'>' is not declared); build it again, or define what is missing"
fi
echo "abi: $(exported "$work/npugraph_c.so" | wc -l) functions as committed"
