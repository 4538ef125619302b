// SPDX-License-Identifier: Apache-2.0
#include "collectors/real/rdma_cm.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "api/base/status.h"
#include "collectors/real/files.h"

namespace rdmaready {
namespace {

// Somebody else may remove the directory they made while we are in it.
constexpr int kRdmaCmAttempts = 3;

absl::Status WhyNoRdmaCm(const std::string& root, int error_number) {
  if (error_number != ENOENT) return ErrnoStatus(error_number, "look at " + root + "/rdma_cm");
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> subsystems, ListWholeDirectory(root));
  if (subsystems.empty()) {
    return absl::FailedPreconditionError("look at " + root +
                                         "/rdma_cm: configfs is not mounted, or rdma_cm is not loaded");
  }
  return absl::FailedPreconditionError("look at " + root + "/rdma_cm: rdma_cm is not loaded");
}

// Use, or make, use and remove.
absl::Status TryOnce(const std::string& directory, const std::function<absl::Status(const std::string&)>& use) {
  struct stat information {};
  if (::stat(directory.c_str(), &information) == 0) return use(directory);
  if (errno != ENOENT) return ErrnoStatus(errno, "look at " + directory);

  if (::mkdir(directory.c_str(), 0755) != 0) {
    if (errno == EEXIST) return use(directory);  // made by somebody else since, and theirs to keep
    return ErrnoStatus(errno, "create " + directory);
  }
  absl::Status used = use(directory);
  // A directory that stays behind must not go unnoticed, even when it was used well.
  if (::rmdir(directory.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, "remove " + directory);
  return used;
}

}  // namespace

absl::Status InRdmaCmDirectory(const std::string& root, const std::string& device,
                               const std::function<absl::Status(const std::string&)>& use) {
  const std::string subsystem = root + "/rdma_cm";
  const std::string directory = subsystem + "/" + device;
  if (device.empty() || device.front() == '.' || device.find('/') != std::string::npos) {
    return ErrnoStatus(EINVAL, "look at " + directory);
  }
  struct stat information {};
  if (::stat(subsystem.c_str(), &information) != 0) return WhyNoRdmaCm(root, errno);
  absl::Status used = TryOnce(directory, use);
  for (int again = 1; again < kRdmaCmAttempts && used.code() == absl::StatusCode::kNotFound; ++again)
    used = TryOnce(directory, use);
  return used;
}

absl::StatusOr<RdmaCmAnswer> ReadRdmaCmDefaults(const std::string& root, const std::string& device,
                                                std::uint32_t port) {
  RdmaCmAnswer answer;
  RR_RETURN_IF_ERROR(InRdmaCmDirectory(root, device, [&](const std::string& directory) -> absl::Status {
    const std::string port_directory = fmt::format("{}/ports/{}", directory, port);
    RR_ASSIGN_OR_RETURN(answer.default_roce_mode, ReadWholeFile(port_directory + "/default_roce_mode"));
    RR_ASSIGN_OR_RETURN(answer.default_roce_tos, ReadWholeFile(port_directory + "/default_roce_tos"));
    return absl::OkStatus();
  }));
  return answer;
}

absl::StatusOr<RdmaCmAnswer> RdmaCmQuestion::AskThisHost() const {
  return ReadRdmaCmDefaults("/sys/kernel/config", device, port);
}

}  // namespace rdmaready
