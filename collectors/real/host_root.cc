// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/host_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace rdmaready {
namespace {

bool IsBelow(std::string_view folder, std::string_view path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

const HostRoot& HostRoot::OfThisHost() {
  static const HostRoot kRoot([] {
    const char* root = std::getenv("RDMAREADY_HOST_ROOT");
    return std::string(root == nullptr ? "" : root);
  }());
  return kRoot;
}

bool HostRoot::IsOwn(const std::string& path) const {
  static constexpr std::array<std::string_view, 3> kKernels{"/proc", "/sys", "/dev"};
  return root_.empty() ||
         std::ranges::any_of(kKernels, [&path](std::string_view folder) { return IsBelow(folder, path); });
}

int HostRoot::OpenInside(const std::string& path, int flags) const {
  const UniqueFd top(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top) return -1;
  const ::open_how how{.flags = static_cast<unsigned>(flags), .mode = 0, .resolve = RESOLVE_IN_ROOT};
  return static_cast<int>(::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof(how)));
}

UniqueFd HostRoot::Open(const std::string& path, int flags) const {
  return UniqueFd(IsOwn(path) ? ::open(path.c_str(), flags) : OpenInside(path, flags));
}

Handle<DIR, ::closedir> HostRoot::OpenDirectory(const std::string& path) const {
  if (IsOwn(path)) return Handle<DIR, ::closedir>(::opendir(path.c_str()));
  const int opened = OpenInside(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (opened < 0) return nullptr;
  Handle<DIR, ::closedir> directory(::fdopendir(opened));
  if (!directory) ::close(opened);
  return directory;
}

ssize_t HostRoot::ReadLink(const std::string& path, std::span<char> text) const {
  if (IsOwn(path)) return ::readlink(path.c_str(), text.data(), text.size());
  const UniqueFd link(OpenInside(path, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  return link ? ::readlinkat(link.get(), "", text.data(), text.size()) : -1;
}

bool HostRoot::Stat(const std::string& path, struct stat& file) const {
  if (IsOwn(path)) return ::stat(path.c_str(), &file) == 0;
  const UniqueFd opened(OpenInside(path, O_PATH | O_CLOEXEC));
  return opened && ::fstat(opened.get(), &file) == 0;
}

}  // namespace rdmaready
