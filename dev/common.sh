# SPDX-License-Identifier: Apache-2.0
# Shell functions; sourced, not run. Sets `root`, the folder of the repository.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${NPUGRAPH_JOBS:-$(nproc)}

# Prints a heading with the seconds since the script began.
say() { printf '\n\033[1m[%4ds] %s\033[0m\n' "$SECONDS" "$*"; }

# Prints what is wrong and what to do, and stops.
stop() {
  printf '\nerror: %s\n' "$*" >&2
  exit 1
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}
