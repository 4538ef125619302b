# SPDX-License-Identifier: Apache-2.0
# Sourced by packaging/build-packages, after setup.sh: the build that the rpm packages are made of (packaging/rpm/static.cmake).
# shellcheck shell=bash

# shellcheck disable=SC2034  # packaging/build-packages and tests/run read it
rpm_packages=(dpkg-dev rpm rpmlint)

# What Debian has no archive of: SOURCE=INSTALLED-PACKAGE, whose version is taken.
readonly static_sources=(fmtlib=libfmt-dev prometheus-cpp=prometheus-cpp-dev spdlog=libspdlog-dev)

# fetch_sources SOURCE=VERSION...: into the current directory, of where apt has its packages from. What apt knows of sources is left alone.
fetch_sources() {
  local entry apt_options
  mkdir -p apt/parts apt/lists
  for entry in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    if [ -f "$entry" ]; then sed -n 's/^deb /deb-src /p' "$entry" >"apt/parts/${entry##*/}"; fi
  done
  for entry in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$entry" ]; then sed 's/^Types:.*/Types: deb-src/' "$entry" >"apt/parts/${entry##*/}"; fi
  done
  apt_options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$PWD/apt/parts" -o "Dir::State::lists=$PWD/apt/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  apt update && apt source "$@" && rm -r apt
}

sources_into() {
  local directory=$1
  shift
  rm -rf "$directory"
  mkdir -p "$directory"
  (cd "$directory" && fetch_sources "$@")
}

# build_static ROOT TARGET...: in ROOT/build-rpm.
build_static() {
  local root=$1 sources=$1/build-rpm/sources wanted=() source
  shift
  for source in "${static_sources[@]}"; do
    wanted+=("${source%=*}=$(dpkg-query -W -f '${source:Version}' "${source#*=}")")
  done
  if [ "${wanted[*]}" != "$(cat "$sources/complete" 2>/dev/null)" ]; then
    say "fetching the source of ${wanted[*]}"
    run_apt "fetch the source of: ${wanted[*]}" sources_into "$sources" "${wanted[@]}"
    echo "${wanted[*]}" >"$sources/complete"
  fi
  build_in "$root" build-rpm -DRDMAREADY_TESTS=OFF "-DRDMAREADY_STATIC=$sources" -- "$@"
}

# make_rpms ROOT WORK RELEASE EPOCH: in WORK.
make_rpms() {
  local root=$1 work=$2 release=$3 date
  date=$(LC_ALL=C date -u -d "@$4" '+%a %b %d %Y')
  sed "s/RELEASE/$release/; s/DATE/$date/" "$root/build-rpm/packaging/made/rdmaready.spec" >"$work/rdmaready.spec"
  rpmbuild -bb --quiet --define "_topdir $work/rpm" --define "_rpmdir $work" --define 'use_source_date_epoch_as_buildtime 1' \
    --define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' --define '_buildhost localhost' "$work/rdmaready.spec"
}
