// SPDX-License-Identifier: Apache-2.0
#include "agent/access/socket_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <system_error>
#include <utility>

#include "api/base/status.h"

namespace rdmaready::access {
namespace {

constexpr char kSystemDirectory[] = "/run/rdmaready";
constexpr int kBacklog = 128;
constexpr ::mode_t kOwner = 0600;
constexpr ::mode_t kOwnerAndGroup = 0660;
constexpr ::mode_t kForAll = 0755;  // of a directory: who may connect is for each socket to say

std::optional<::gid_t> GroupId(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::array<char, 16384> buffer{};
  ::group entry{};
  ::group* found = nullptr;
  if (::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return entry.gr_gid;
}

// Before listen(2) nobody connects, and the file has its last rights by then.
absl::StatusOr<DoorSocket> BindAndListen(const std::string& path, Role role, const std::string& group) {
  ::sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof(address.sun_path)) return ErrnoStatus(ENAMETOOLONG, "bind");
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The file takes its mode from the socket.
  if (!fd || ::fchmod(fd.get(), kOwner) != 0) return ErrnoStatus(errno, "make a socket");
  if (::bind(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) != 0)
    return ErrnoStatus(errno, "bind");
  struct ::stat file {};
  if (::lstat(path.c_str(), &file) != 0) return ErrnoStatus(errno, "bind");
  const std::optional<::gid_t> members = GroupId(group);
  if (members && ::lchown(path.c_str(), static_cast<::uid_t>(-1), *members) == 0 &&
      ::chmod(path.c_str(), kOwnerAndGroup) != 0) {
    return ErrnoStatus(errno, "chmod");
  }
  if (::listen(fd.get(), kBacklog) != 0) return ErrnoStatus(errno, "listen");
  return DoorSocket{std::move(fd), role, path, file.st_ino};
}

// The process that listens on the other side of a connected socket: " (pid 4711)".
std::string ListenerText(const UniqueFd& connected) {
  ::ucred peer{};
  ::socklen_t size = sizeof(peer);
  const bool known = ::getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0;
  return known ? fmt::format(" (pid {})", peer.pid) : "";
}

// OK: nobody listens there any more, the file is left over. kAlreadyExists: a live process does.
absl::Status CheckAbandoned(const std::string& path) {
  ::sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof(address.sun_path)) return absl::OkStatus();  // bind refuses it
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return ErrnoStatus(errno, "make a socket");
  const int failed =
      ::connect(fd.get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) == 0 ? 0 : errno;
  if (failed == ECONNREFUSED || failed == ENOENT) return absl::OkStatus();
  if (failed != 0 && failed != EAGAIN) return ErrnoStatus(failed, "find out whether it is in use");
  return absl::AlreadyExistsError("in use by a live process" + (failed == 0 ? ListenerText(fd) : ""));
}

std::string EnvironmentPath(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

absl::Status MakeSocketDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(directory).parent_path(), error);
  if (::mkdir(directory.c_str(), kForAll) != 0 && errno != EEXIST)
    return ErrnoStatus(errno, "create " + directory);
  struct ::stat info {};
  if (::lstat(directory.c_str(), &info) != 0) return ErrnoStatus(errno, "create " + directory);
  if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(
        fmt::format("{}: not a directory that only this user (uid {}) can write", directory, ::geteuid()));
  }
  // Also one that an umask, or an older agent, left closed.
  if (::chmod(directory.c_str(), kForAll) != 0) return ErrnoStatus(errno, "open " + directory + " to callers");
  return absl::OkStatus();
}

absl::StatusOr<DoorSocket> MakeSocket(const std::string& path, Role role, const std::string& group) {
  struct ::stat before {};
  absl::Status failed;
  if (::lstat(path.c_str(), &before) == 0 && S_ISSOCK(before.st_mode)) {
    failed = CheckAbandoned(path);
    if (failed.ok()) ::unlink(path.c_str());
  }
  if (failed.ok()) {
    absl::StatusOr<DoorSocket> socket = BindAndListen(path, role, group);
    if (socket.ok()) return socket;
    failed = socket.status();
  }
  return absl::Status(failed.code(), "listen on " + path + ": " + Message(failed));
}

absl::StatusOr<std::vector<DoorSocket>> MakeRoleSockets(const std::string& directory) {
  std::vector<DoorSocket> sockets;
  for (const Role role : kDoorRoles) {
    const std::string name(RoleName(role));
    const bool for_a_group = role == Role::kObserve || role == Role::kTest;
    RR_ASSIGN_OR_RETURN(DoorSocket socket, MakeSocket(directory + "/" + name + ".sock", role,
                                                      for_a_group ? "rdmaready-" + name : ""));
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

void RemoveSocketFile(const DoorSocket& socket) {
  struct ::stat info {};
  if (socket.own_file == 0 || ::lstat(socket.path.c_str(), &info) != 0) return;
  if (info.st_ino == socket.own_file && S_ISSOCK(info.st_mode)) ::unlink(socket.path.c_str());
}

std::optional<SocketPlace> OwnSocketPlace() {
  if (std::string path = EnvironmentPath("RDMAREADY_SOCKET"); !path.empty()) return SocketPlace{.path = path};
  if (::geteuid() == 0) return SocketPlace{.directory = kSystemDirectory};
  const std::string runtime = EnvironmentPath("XDG_RUNTIME_DIR");
  if (runtime.empty()) return std::nullopt;
  return SocketPlace{.directory = runtime + "/rdmaready"};
}

std::vector<std::string> SocketsToTry() {
  if (const char* value = std::getenv("RDMAREADY_SOCKET"); value != nullptr && value == kNoSocket) return {};
  if (std::string path = EnvironmentPath("RDMAREADY_SOCKET"); !path.empty()) return {path};
  std::vector<std::string> paths;
  std::vector<std::string> directories{kSystemDirectory};
  const std::string runtime = EnvironmentPath("XDG_RUNTIME_DIR");
  if (!runtime.empty()) directories.push_back(runtime + "/rdmaready");
  for (const std::string& directory : directories) {
    for (const Role role : std::views::reverse(kDoorRoles))
      paths.push_back(fmt::format("{}/{}.sock", directory, RoleName(role)));
  }
  return paths;
}

}  // namespace rdmaready::access
