// SPDX-License-Identifier: Apache-2.0
#include "agent/share/cifs_mount.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <array>
#include <cerrno>

#include "api/base/status.h"

namespace rdmaready {
namespace {

// A lost server is noticed after two of these instead of two minutes; the least is 1 s, the default 60
// (fs/smb/client/cifsglob.h, SMB_ECHO_INTERVAL_MIN).
constexpr const char* kEchoIntervalSeconds = "5";

// What the kernel wrote to the descriptor of the file system since the last call: lines "e CIFS: text".
std::string KernelWords(int context) {
  std::string words;
  std::array<char, 1024> line{};
  for (int lines = 0; lines < 8; ++lines) {
    const ssize_t size = ::read(context, line.data(), line.size());
    if (size <= 2) break;
    std::string_view text(line.data() + 2, static_cast<std::size_t>(size) - 2);
    while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
    words += (words.empty() ? "" : "; ") + std::string(text);
  }
  return words;
}

// One context of the mount API (fsopen(2)); the first error is kept.
class Context {
 public:
  explicit Context(const char* type) : fd_(::fsopen(type, FSOPEN_CLOEXEC)) {
    if (fd_) return;
    const std::string action = std::string("open file system ") + type;
    status_ = absl::FailedPreconditionError(
        Message(ErrnoStatus(errno, action)) +
        (errno == EPERM ? ": a mount needs root" : ": the kernel's client is not there (modprobe cifs)"));
  }

  void Set(const char* key, const std::string& value) { Do(FSCONFIG_SET_STRING, key, value.c_str()); }
  void Set(const char* flag) { Do(FSCONFIG_SET_FLAG, flag, nullptr); }

  absl::StatusOr<UniqueFd> Mount(const std::string& name) {
    if (status_.ok() && ::fsconfig(fd_.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
      Fail("mount " + name);
    if (!status_.ok()) return status_;
    UniqueFd directory(
        ::fsmount(fd_.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
    if (!directory) return ErrnoStatus(errno, "mount " + name);
    return directory;
  }

 private:
  void Do(unsigned command, const char* key, const char* value) {
    if (status_.ok() && ::fsconfig(fd_.get(), command, key, value, 0) != 0) {
      Fail(std::string("set mount option ") + key);
    }
  }

  void Fail(const std::string& action) {
    const int error_number = errno;
    const std::string words = KernelWords(fd_.get());
    status_ = ErrnoStatus(error_number, action);
    // The server's no is EACCES; this one is our kernel's.
    if (error_number == EPERM)
      status_ = absl::FailedPreconditionError(Message(status_) + ": a mount needs root");
    if (!words.empty()) status_ = absl::Status(status_.code(), Message(status_) + " (" + words + ")");
  }

  UniqueFd fd_;
  absl::Status status_{};
};

}  // namespace

absl::StatusOr<CifsMount> CifsMount::Make(const CifsMountRequest& request) {
  const bool v6 = request.server_address.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + request.server_address + "]" : request.server_address;
  const std::string name = "//" + host + "/" + request.share;
  Context context("cifs");
  context.Set("source", name);
  context.Set("ip", request.server_address);
  context.Set("vers", "3");  // 3.0.2 or what is newer; SMB Direct is defined for 3.x only
  context.Set("username", request.credentials.user_name);
  context.Set("password", request.credentials.password);
  if (!request.credentials.domain.empty()) context.Set("domain", request.credentials.domain);
  if (request.rdma) context.Set("rdma");
  context.Set("nosharesock");  // a connection of its own, so that its state is about our bytes
  context.Set("cache", "none");
  context.Set("echo_interval", kEchoIntervalSeconds);
  RR_ASSIGN_OR_RETURN(UniqueFd directory, context.Mount(name));
  return CifsMount(std::move(directory));
}

}  // namespace rdmaready
