// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/paths.h"

#include <algorithm>

namespace rdmaready::recording {
namespace {

constexpr std::size_t kMaxPathBytes = 1024;
constexpr std::size_t kMaxPartBytes = 255;  // NAME_MAX
constexpr std::size_t kMaxDepth = 40;
constexpr std::size_t kMaxFolderBytes = 128;

bool IsSafeLetter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') ||
         std::string_view("._-+:,@=").find(letter) != std::string_view::npos;
}

bool IsSafePart(std::string_view part) {
  return !part.empty() && part.size() <= kMaxPartBytes && part != "." && part != ".." &&
         std::ranges::all_of(part, IsSafeLetter);
}

}  // namespace

bool IsSafePath(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes) return false;
  for (std::size_t depth = 1; depth <= kMaxDepth; ++depth) {
    const std::size_t slash = path.find('/');
    if (!IsSafePart(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

std::string TreePath(std::string_view absolute_path) {
  if (!absolute_path.starts_with('/')) return {};
  std::string path = "files" + std::string(absolute_path);
  return IsSafePath(path) ? path : std::string();
}

std::string FolderName(std::string_view host) {
  std::string name(host.substr(0, kMaxFolderBytes));
  for (char& letter : name) {
    if (!IsSafeLetter(letter) || letter == ':') letter = '_';  // tar and scp take "a:b" for b on host a
  }
  if (name.empty()) return "host";
  if (name.front() == '.' || name.front() == '-') name.front() = '_';
  return name;
}

}  // namespace rdmaready::recording
