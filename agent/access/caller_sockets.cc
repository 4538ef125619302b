// SPDX-License-Identifier: Apache-2.0
#include "agent/access/caller_sockets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <ranges>
#include <string_view>

#include "api/base/handle.h"

namespace rdmaready::access {
namespace {

constexpr std::size_t kDatabaseOctets = 16384;  // of one entry of users or groups

std::string GroupName(::gid_t id) {
  std::array<char, kDatabaseOctets> buffer{};
  ::group entry{};
  ::group* found = nullptr;
  if (::getgrgid_r(id, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return fmt::format("{}", id);
  return entry.gr_name;
}

// Empty where the database has none.
std::string UserName(::uid_t id) {
  std::array<char, kDatabaseOctets> buffer{};
  ::passwd entry{};
  ::passwd* found = nullptr;
  if (::getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
  return entry.pw_name;
}

// 0: somebody listens.
int ConnectError(const std::string& path) {
  ::sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof(address.sun_path)) return ENOENT;  // no socket can have this name
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  return ::connect(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) == 0 ? 0 : errno;
}

SocketState StateOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return SocketState::kAbsent;
    case EACCES:
    case EPERM:
      return SocketState::kRefused;
    case ECONNREFUSED:
      return SocketState::kAbandoned;
    default:  // EAGAIN is a full queue. Whatever else is wrong, the attempt to ask says it.
      return SocketState::kListening;
  }
}

std::string_view DirectoryOf(std::string_view path) { return path.substr(0, path.rfind('/')); }

std::string Named(const AskingUser& user) {
  return user.name.empty() ? fmt::format("user {}", user.uid)
                           : fmt::format("user {} (uid {})", user.name, user.uid);
}

absl::Status Refused(const std::vector<TriedSocket>& sockets, const AskingUser& user) {
  std::vector<std::string> doors;
  std::string first_group;
  // The one that lets in most users was tried last.
  for (const TriedSocket& socket : sockets | std::views::reverse) {
    if (socket.state != SocketState::kRefused || socket.group.empty()) continue;
    if (first_group.empty()) first_group = socket.group;
    doors.push_back(fmt::format("{} is for the group {}", socket.path, socket.group));
  }
  const std::string who = fmt::format("the agent of this host does not let {} in: ", Named(user));
  if (!doors.empty()) {
    const std::string command =
        user.name.empty() ? "" : fmt::format(" (as root: usermod -aG {} {})", first_group, user.name);
    return absl::PermissionDeniedError(fmt::format("{}{}. Join the group {}{} and log in again, or ask as root",
                                                   who, fmt::join(doors, ", "), first_group, command));
  }
  const auto refused = std::ranges::find(sockets, SocketState::kRefused, &TriedSocket::state);
  if (refused->owner.empty())
    return absl::PermissionDeniedError(
        fmt::format("{}connect to {}: Permission denied. Ask as root", who, refused->path));
  return absl::PermissionDeniedError(fmt::format("{}{} is for the user {} alone. Ask as that user or as root",
                                                 who, refused->path, refused->owner));
}

}  // namespace

AskingUser ThisUser() { return {.uid = ::geteuid(), .name = UserName(::geteuid())}; }

TriedSocket TrySocket(const std::string& path) {
  TriedSocket tried{.path = path, .state = StateOf(ConnectError(path))};
  struct ::stat file {};
  if (tried.state == SocketState::kAbsent || ::stat(path.c_str(), &file) != 0) return tried;
  // A connection to something else than a socket is refused as well.
  if (!S_ISSOCK(file.st_mode)) return {.path = path};
  if ((file.st_mode & S_IWGRP) != 0) tried.group = GroupName(file.st_gid);
  tried.owner = UserName(file.st_uid);
  if (tried.owner.empty()) tried.owner = fmt::format("{}", file.st_uid);
  return tried;
}

absl::StatusOr<std::string> SocketToAsk(const std::vector<TriedSocket>& tried, const AskingUser& user) {
  const auto listening = std::ranges::find(tried, SocketState::kListening, &TriedSocket::state);
  if (listening != tried.end()) return listening->path;
  const auto there =
      std::ranges::find_if(tried, [](const TriedSocket& one) { return one.state != SocketState::kAbsent; });
  if (there == tried.end()) return std::string();
  std::vector<TriedSocket> sockets;
  std::ranges::copy_if(tried, std::back_inserter(sockets), [&](const TriedSocket& one) {
    return one.state != SocketState::kAbsent && DirectoryOf(one.path) == DirectoryOf(there->path);
  });
  // Permissions are judged before the kernel looks for a listener: this user would have been let in.
  const auto abandoned = std::ranges::find(sockets, SocketState::kAbandoned, &TriedSocket::state);
  if (abandoned == sockets.end()) return Refused(sockets, user);
  return absl::UnavailableError(fmt::format(
      "no process listens on {}: the agent of this host ended and left its socket behind. Start it again "
      "(systemctl restart rdmaready-agent), or judge this host with your own rights: RDMAREADY_SOCKET=none "
      "before "
      "the command",
      abandoned->path));
}

}  // namespace rdmaready::access
