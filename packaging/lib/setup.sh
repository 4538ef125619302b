# SPDX-License-Identifier: Apache-2.0
# Sourced by packaging/quickstart and tests/run: what both do before they differ. Debian 12, root, apt.
# shellcheck shell=bash

# shellcheck source=packaging/lib/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

build_packages=(
  ca-certificates g++ cmake ninja-build ccache mold pkg-config python3
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libabsl-dev libssl-dev
  libcurl4-openssl-dev libibumad-dev libibverbs-dev libnl-3-dev libsqlite3-dev libsystemd-dev zlib1g-dev
  libgnutls28-dev libmicrohttpd-dev prometheus-cpp-dev
  libcli11-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libyaml-cpp-dev
  libgtest-dev libgmock-dev
)

# What only packaging/build-packages needs, and what it needs to be built.
# shellcheck disable=SC2034  # packaging/build-packages and tests/run read them
package_packages=(dpkg-dev gzip)
# shellcheck disable=SC2034
package_targets=(rdmaready_package_files)

# What only the tests need.
# shellcheck disable=SC2034  # tests/run reads it
test_packages=(
  ansible-core apparmor clang-format clang-tidy-19 debootstrap fish git iproute2 lintian mandoc python3-grpcio python3-jsonschema
  python3-kubernetes python3-protobuf python3-sarif-python-om python3-yaml shellcheck systemd zsh
)

started=$SECONDS

# say WORDS...: one line of progress with the time since the start.
say() { printf '%3d s  %s\n' $((SECONDS - started)) "$*" >&2; }

die() { say "error: $*"; exit 3; }

# run_apt WHAT COMMAND...: quiet unless it fails, which ends the script.
run_apt() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt could not $what (whole output: $log)"
  fi
  rm -f "$log"
}

# install_missing PACKAGE...: asks apt only when something is missing.
install_missing() {
  local missing
  mapfile -t missing < <(not_installed "$@")
  [ ${#missing[@]} -eq 0 ] && return
  [ "$(id -u)" = 0 ] || die "packages are missing and only root can install them: ${missing[*]}"
  say "installing ${#missing[@]} packages"
  run_apt "install: ${missing[*]}" install_packages "${missing[@]}"
}

# A simulated InfiniBand fabric, a subnet manager for it, and programs that ask it.
# shellcheck disable=SC2034  # tests/run reads it
ibsim_packages=(ibsim-utils libumad2sim0 opensm infiniband-diags)

# It reads the frames that the fabric's switch makes.
# shellcheck disable=SC2034  # tests/run reads it
tshark_packages=(tshark)

# What scrapes the agent in the tests, judges the metrics, and is compared with it; Icinga judges the definition of its check.
# shellcheck disable=SC2034  # tests/run reads it
prometheus_packages=(prometheus prometheus-node-exporter icinga2-bin)

# It judges the definition of its check too. Its dependencies are a mailer and plugins; the program needs libc alone.
# shellcheck disable=SC2034  # tests/run reads it
nagios_packages=(nagios4-core)

unpack_into() {
  local directory=$1
  shift
  rm -rf "$directory"
  mkdir -p "$directory"
  (cd "$directory" && unpack_beside "$@")
}

# unpack_missing DIRECTORY PACKAGE...: beside the system, with what they need beyond build_packages. Not installed, because opensm would
# start as a service, and manage a fabric that already has a manager.
unpack_missing() {
  local directory=$1 recipe
  shift
  recipe=$(declare -f unpack_beside needed_beside all_needed_by; echo "$@" beside "${build_packages[@]}")
  [ "$recipe" != "$(cat "$directory/complete" 2>/dev/null)" ] || return 0
  say "unpacking $*"
  run_apt "unpack: $*" unpack_into "$directory" "${build_packages[*]}" "$@"
  echo "$recipe" >"$directory/complete"
}

alone_into() {
  local directory=$1 package
  shift
  rm -rf "$directory"
  mkdir -p "$directory/packages"
  (cd "$directory/packages" && download "$@") || return
  for package in "$directory"/packages/*.deb; do dpkg-deb -x "$package" "$directory" || return; done
  rm -r "$directory/packages"
}

# unpack_alone DIRECTORY PACKAGE...: the same without what they depend on.
unpack_alone() {
  local directory=$1
  shift
  [ "$*" != "$(cat "$directory/complete" 2>/dev/null)" ] || return 0
  run_apt "unpack: $*" alone_into "$directory" "$@"
  echo "$*" >"$directory/complete"
}

# Shows the steps done of all, on a terminal in one line, else every few seconds; the whole output goes to LOG.
build_with_progress() {
  local directory=$1 log=$2
  shift 2
  ninja -C "$directory" "$@" 2>&1 | tee "$log" | show_steps
  return "${PIPESTATUS[0]}"
}

show_steps() {
  local line steps='' shown='' last=$SECONDS status every_s=5
  while true; do
    status=0
    IFS= read -r -t $every_s line || status=$?
    [ $status -eq 0 ] || [ $status -gt 128 ] || break  # above 128: nothing came in time
    if [ $status -eq 0 ]; then
      case $line in '['*']'*) steps=${line%%]*} steps=${steps#[} ;; esac
    fi
    if [ -t 2 ]; then
      [ "$steps" = "$shown" ] || printf '\r       built %s steps ' "${steps/\// of }" >&2
      shown=$steps
    elif [ -n "$steps" ] && [ $((SECONDS - last)) -ge $every_s ]; then
      say "built ${steps/\// of } steps"
      last=$SECONDS
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# build_in ROOT NAME [CMAKE-OPTION...] -- TARGET...: in the directory NAME; configures once, then builds; quiet unless it fails. No
# TARGET: everything.
build_in() {
  local root=$1 directory=$1/$2 log options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  log=$(mktemp)
  [ -f "$directory/build.ninja" ] || say "configuring the build"
  if ! cmake -S "$root" -B "$directory" -G Ninja "${options[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "cmake could not configure the build in $directory"
  fi
  say "building ${*:-everything} (minutes the first time, seconds after)"
  if ! build_with_progress "$directory" "$log" "$@"; then
    { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" || true; } | tail -n 60 >&2  # ninja may have said nothing else
    rm -f "$log"
    die "the build failed"
  fi
  rm -f "$log"
}

# build ROOT TARGET...: in ROOT/build.
build() {
  local root=$1
  shift
  build_in "$root" build -- "$@"
}
