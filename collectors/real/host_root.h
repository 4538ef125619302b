// SPDX-License-Identifier: Apache-2.0
// The host's files, for processes whose root is another one, as in a container: RDMAREADY_HOST_ROOT names the
// folder where the host's root is seen. /proc, /sys and /dev are taken as they are, because the kernel answers
// there. Unset: this process's root is the host's.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <span>
#include <string>
#include <utility>

#include "api/base/handle.h"

namespace rdmaready {

// Absolute paths of the host. As open(2), opendir(3), readlink(2) and stat(2), with their errno. A link is
// followed as the host would: inside of its root.
class HostRoot {
 public:
  // `root`: where the host's root is seen; empty: it is this process's.
  explicit HostRoot(std::string root) : root_(std::move(root)) {}
  // Of the environment, which is read once.
  static const HostRoot& OfThisHost();

  UniqueFd Open(const std::string& path, int flags) const;
  Handle<DIR, ::closedir> OpenDirectory(const std::string& path) const;
  // How many octets of `text` were written; -1.
  ssize_t ReadLink(const std::string& path, std::span<char> text) const;
  bool Stat(const std::string& path, struct stat& file) const;

 private:
  bool IsOwn(const std::string& path) const;
  int OpenInside(const std::string& path, int flags) const;

  std::string root_;
};

}  // namespace rdmaready
