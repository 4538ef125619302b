// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/file_write.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNameBytes = 255;  // NAME_MAX

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && name != "." && name != ".." &&
         std::ranges::all_of(name, [](char letter) {
           return letter != '/' && static_cast<unsigned char>(letter) >= ' ' && letter != '\x7f';
         });
}

absl::Status WriteKernelFile(const std::string& folder, const std::vector<std::string>& names,
                             std::string_view text, std::string_view what) {
  if (names.empty() || !std::ranges::all_of(names, IsPlainName)) return ErrnoStatus(EINVAL, what);
  UniqueFd place(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; place && i + 1 < names.size(); ++i)
    place = UniqueFd(::openat(place.get(), names[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place) return ErrnoStatus(errno, what);
  const UniqueFd file(
      ::openat(place.get(), names.back().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
  if (!file) return ErrnoStatus(errno, what);
  ssize_t written = -1;
  do {
    written = ::write(file.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return ErrnoStatus(errno, what);
  return static_cast<std::size_t>(written) == text.size() ? absl::OkStatus() : ErrnoStatus(EIO, what);
}

}  // namespace rdmaready
