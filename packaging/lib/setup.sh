# SPDX-License-Identifier: Apache-2.0
# Sourced by packaging/quickstart and tests/run: what both do before they differ. Debian 12, root, apt.
# shellcheck shell=bash

export DEBIAN_FRONTEND=noninteractive

build_packages=(
  ca-certificates g++ cmake ninja-build ccache mold pkg-config python3
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev libssl-dev
  libibumad-dev libibverbs-dev libnl-3-dev libnl-route-3-dev libnl-genl-3-dev libsqlite3-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libyaml-cpp-dev
  libgtest-dev libgmock-dev
)

started=$SECONDS

# say WORDS...: one line of progress with the time since the start.
say() { printf '%3d s  %s\n' $((SECONDS - started)) "$*" >&2; }

die() { say "error: $*"; exit 3; }

# install_missing PACKAGE...: asks apt only when something is missing.
install_missing() {
  local package missing=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "packages are missing and only root can install them: ${missing[*]}"
  say "installing ${#missing[@]} packages"
  local log apt=(apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  log=$(mktemp)
  # After an interrupted run dpkg wants to be put right first.
  if ! { dpkg --configure -a && "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt could not install: ${missing[*]} (whole output: $log)"
  fi
  rm -f "$log"
}

# A simulated InfiniBand fabric and a subnet manager for it.
# shellcheck disable=SC2034  # tests/run reads it
ibsim_packages=(ibsim-utils libumad2sim0 opensm libopensm9 libosmcomp5 libosmvendor5 infiniband-diags libibnetdisc5 libibmad5)

# unpack_missing DIRECTORY PACKAGE...: beside the system, which they do not become part of: opensm would start as a service,
# and manage a fabric that has a manager.
unpack_missing() {
  local directory=$1 log
  shift
  [ -e "$directory/complete" ] && return
  say "unpacking $# packages"
  log=$(mktemp)
  mkdir -p "$directory/packages"
  # Where the lists are missing or out of date, they are fetched.
  if ! ( cd "$directory/packages" && exec >"$log" 2>&1
         download=(apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User=root download "$@")
         "${download[@]}" || { apt-get -q update && "${download[@]}"; } || exit
         for package in *.deb; do dpkg-deb -x "$package" .. || exit; done ); then
    tail -n 20 "$log" >&2
    die "apt could not download: $* (whole output: $log)"
  fi
  rm -rf "$log" "$directory/packages"
  touch "$directory/complete"
}

# On a terminal, ninja's own counter in one line; the whole output in LOG.
build_with_progress() {
  local root=$1 log=$2
  shift 2
  if [ -t 2 ]; then
    ninja -C "$root/build" "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
      case $line in '['*']'*) printf '\r       %s ' "${line%%]*}]" >&2 ;; esac
    done
    local status=${PIPESTATUS[0]}
    printf '\r\033[K' >&2
    return "$status"
  fi
  ninja -C "$root/build" "$@" >"$log" 2>&1
}

# build ROOT TARGET...: configures once, then builds; quiet unless it fails. No TARGET: everything.
build() {
  local root=$1 log
  shift
  log=$(mktemp)
  [ -f "$root/build/build.ninja" ] || say "configuring the build"
  if ! cmake -S "$root" -B "$root/build" -G Ninja >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "cmake could not configure the build in $root/build"
  fi
  say "building ${*:-everything} (minutes the first time, seconds after)"
  if ! build_with_progress "$root" "$log" "$@"; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 60 >&2
    rm -f "$log"
    die "the build failed"
  fi
  rm -f "$log"
}
