// SPDX-License-Identifier: Apache-2.0
#include "api/base/credentials.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "api/base/handle.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostCredentialsBytes = 4096;

absl::Status WrongCredentials(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError("credentials file " + path + ": " + what);
}

absl::StatusOr<std::string> ReadPrivateFile(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return absl::InvalidArgumentError(Message(ErrnoStatus(errno, "open credentials file " + path)));
  struct stat about {};
  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return WrongCredentials(path, "not a file");
  if ((about.st_mode & 077) != 0) {
    return WrongCredentials(path,
                 "others may read it: chmod 600 " + path + ", and change the password if they could before");
  }
  std::array<char, kMostCredentialsBytes + 1> text{};
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return absl::InvalidArgumentError(Message(ErrnoStatus(errno, "read credentials file " + path)));
  if (static_cast<std::size_t>(size) > kMostCredentialsBytes) return WrongCredentials(path, "larger than 4 KiB");
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::string_view WithoutEnd(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::string* FieldOf(Credentials& credentials, std::string_view key) {
  if (key == "username" || key == "user") return &credentials.user_name;
  if (key == "password" || key == "pass") return &credentials.password;
  if (key == "domain" || key == "dom" || key == "workgroup") return &credentials.domain;
  return nullptr;
}

}  // namespace

absl::StatusOr<Credentials> ReadCredentials(const std::string& path) {
  RR_ASSIGN_OR_RETURN(std::string text, ReadPrivateFile(path));
  Credentials credentials;
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = WithoutEnd(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    std::string* field = equals == line.npos ? nullptr : FieldOf(credentials, line.substr(0, equals));
    if (field == nullptr) {
      return WrongCredentials(path, fmt::format("line {} is none of username=, password=, domain=", number));
    }
    *field = std::string(line.substr(equals + 1));  // blanks and signs of a password stay
  }
  if (credentials.user_name.empty()) return WrongCredentials(path, "no username=");
  return credentials;
}

}  // namespace rdmaready
