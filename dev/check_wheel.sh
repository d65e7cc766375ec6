#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries a wheel as a user without compiler, Debian packages or this repository gets it: a fresh
# venv, an empty environment, another folder.   dev/check_wheel.sh [WHEEL [PYTHON]]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
wheel=$(realpath "${1:-$(ls -t "$root"/dist/npugraph-*.whl | head -n 1)}")
python=${2:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case "$(basename "$wheel")" in
  *manylinux*) ;;
  *) stop "found $(basename "$wheel"); expected a manylinux tag: use dev/make_wheel.sh" ;;
esac

say "installing $(basename "$wheel") into a fresh venv"
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install -q --disable-pip-version-check "$wheel"
cp "$root/examples/models/ultraface_rfb320.onnx" "$work/model.onnx"
cp "$root/examples/ctypes_matmul.py" "$work"
cat >"$work/five_lines.py" <<'PYTHON'
import npugraph
engine = npugraph.compile("model.onnx")
inputs = npugraph.random_inputs(engine, seed=1)
outputs = npugraph.Session(engine, threads=2).run(inputs)
print({name: array.shape for name, array in outputs.items()})
PYTHON
cd "$work"
# Nothing of this machine but the venv: no compiler, no tools, no settings.
clean() { env -i HOME="$work" PATH="$work/venv/bin" "$@"; }
package=$(clean "$work/venv/bin/python" -c 'import npugraph; print(npugraph.__path__[0])')

say "Python"
clean python five_lines.py
say "command line"
clean npugraph --version
clean npugraph compile model.onnx -o model.engine
clean npugraph bench model.engine --runs 3
say "C interface"
clean python ctypes_matmul.py "$package/lib/libnpugraph.so" cpu
clean python ctypes_matmul.py "$package/lib/libnpugraph.so" vnpu

say "libraries"
# What is not in the wheel must be in every Linux that the manylinux tag names.
allowed='linux-vdso|ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z)\.so'
while read -r file; do
  other=$(ldd "$file" | grep -v -E "$allowed" | grep -v -F "$work/venv/" || true)
  [ -z "$other" ] || stop "$file needs what the wheel lacks:"$'\n'"$other"
done < <(find "$package" "$package.libs" -name '*.so*' -o -path '*/bin/npugraph')
! grep -rl -F "$root/" "$package" || stop "the files above hold paths of this repository"
say "the wheel works"
