# SPDX-License-Identifier: Apache-2.0
# Debian packages, installed, or unpacked beside the system. Sourced by setup.sh and tests/fabric/lib/prepare, which set pipefail.
# Functions print what apt prints and return its status.
# shellcheck shell=bash

# More options for every call of apt, such as other package sources.
apt_options=()

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "${apt_options[@]}" "$@"
}

# with_package_lists COMMAND...: lists that are missing or out of date make it fail; then they are fetched and it is tried again.
with_package_lists() { "$@" || { apt update >&2 && "$@"; }; }

# not_installed PACKAGE...: prints those that are not.
not_installed() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# install_packages PACKAGE...: an interrupted run leaves packages that dpkg must configure first.
install_packages() { DEBIAN_FRONTEND=noninteractive dpkg --configure -a && with_package_lists apt install --no-install-recommends "$@"; }

# download PACKAGE...: into the current directory.
download() { with_package_lists apt -o APT::Sandbox::User=root download "$@"; }

# all_needed_by PACKAGE...: prints them, all that they depend on and what every Debian has. The installed packages count for nothing.
all_needed_by() {
  apt install --simulate --no-install-recommends -o Dir::State::status=/dev/null \
    '?or(?essential,?priority(required))' "$@" | awk '$1 == "Inst" { print $2 }' | sort
}

# needed_beside INSTALLED-PACKAGES PACKAGE...: prints what to unpack for these packages where the others are installed: themselves, and
# all that they depend on but the others do not. What else this machine has installed is not trusted to be on the next one.
needed_beside() {
  local installed=$1 present wanted
  shift
  # shellcheck disable=SC2086  # a list of words
  present=$(all_needed_by $installed) && wanted=$(all_needed_by $installed "$@") || return
  comm -13 <(echo "$present") <(echo "$wanted")
}

# unpack_beside INSTALLED-PACKAGES PACKAGE...: into the current directory, with what they need (see needed_beside). As in the system,
# /lib is /usr/lib, whichever of the two a package names.
unpack_beside() {
  local needed package
  needed=$(with_package_lists needed_beside "$@") || return
  mkdir -p packages usr/{bin,sbin,lib}
  ln -s usr/{bin,sbin,lib} .
  # shellcheck disable=SC2086  # a list of words
  (cd packages && download $needed) || return
  for package in packages/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar x --keep-directory-symlink || return; done
  rm -r packages
}
