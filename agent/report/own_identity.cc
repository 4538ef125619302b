// SPDX-License-Identifier: Apache-2.0
#include "agent/report/own_identity.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "api/base/digest.h"
#include "api/base/handle.h"
#include "api/base/run_id.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/pki/identity.h"

namespace rdmaready::report {
namespace {

constexpr std::size_t kMostIdFileBytes = 256;

std::string LineOf(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path, kMostIdFileBytes);
  return text.ok() ? TrimRight(*text) : std::string();
}

absl::Status WriteNew(const std::string& path, const std::string& text) {
  constexpr ::mode_t kOursToWrite = 0644;
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOursToWrite));
  if (!fd) return ErrnoStatus(errno, "create " + path);
  const bool written = ::write(fd.get(), text.data(), text.size()) == static_cast<::ssize_t>(text.size());
  if (written && ::fsync(fd.get()) == 0) return absl::OkStatus();
  const absl::Status why = ErrnoStatus(errno, "write " + path);
  ::unlink(path.c_str());
  return why;
}

absl::StatusOr<std::string> KeptId(const std::string& directory) {
  const std::string path = directory + "/host-id";
  std::string id = LineOf(path);
  if (!id.empty()) return id;
  RR_ASSIGN_OR_RETURN(id, pki::NewHostId());
  RR_RETURN_IF_ERROR(WriteNew(path, id + "\n"));
  return id;
}

std::string OwnHostname() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

absl::StatusOr<ReportingHost> OwnIdentity(const std::string& state_directory, const std::string& certificate) {
  ReportingHost host{
      .hostname = OwnHostname(), .boot_id = LineOf("/proc/sys/kernel/random/boot_id"), .run_id = MakeRunId()};
  if (const std::string machine = LineOf("/etc/machine-id"); !machine.empty())
    host.machine_id = Sha256("rdmaready machine " + machine).value_or("");
  if (certificate.empty()) {
    RR_ASSIGN_OR_RETURN(host.host_id, KeptId(state_directory));
  }
  return host;
}

}  // namespace rdmaready::report
