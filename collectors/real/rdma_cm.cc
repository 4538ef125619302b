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

// Another reader may remove the directory it made while we read in it.
constexpr int kRdmaCmAttempts = 3;

absl::StatusOr<RdmaCmAnswer> ReadBoth(const std::string& port_directory) {
  RR_ASSIGN_OR_RETURN(std::string mode, ReadWholeFile(port_directory + "/default_roce_mode"));
  RR_ASSIGN_OR_RETURN(std::string tos, ReadWholeFile(port_directory + "/default_roce_tos"));
  return RdmaCmAnswer{std::move(mode), std::move(tos)};
}

absl::Status WhyNoRdmaCm(const std::string& root, int error_number) {
  if (error_number != ENOENT) return ErrnoStatus(error_number, "look at " + root + "/rdma_cm");
  RR_ASSIGN_OR_RETURN(const std::vector<std::string> subsystems, ListWholeDirectory(root));
  if (subsystems.empty()) {
    return absl::FailedPreconditionError("look at " + root +
                                         "/rdma_cm: configfs is not mounted, or rdma_cm is not loaded");
  }
  return absl::FailedPreconditionError("look at " + root + "/rdma_cm: rdma_cm is not loaded");
}

// Read, or make, read and remove.
absl::StatusOr<RdmaCmAnswer> TryOnce(const std::string& directory, std::uint32_t port) {
  const std::string port_directory = fmt::format("{}/ports/{}", directory, port);
  struct stat information {};
  if (::stat(directory.c_str(), &information) == 0) return ReadBoth(port_directory);
  if (errno != ENOENT) return ErrnoStatus(errno, "look at " + directory);

  if (::mkdir(directory.c_str(), 0755) != 0) {
    if (errno == EEXIST) return ReadBoth(port_directory);  // made by somebody else since, and theirs to keep
    return ErrnoStatus(errno, "create " + directory);
  }
  absl::StatusOr<RdmaCmAnswer> answer = ReadBoth(port_directory);
  // A directory that stays behind must not go unnoticed, even when the values were read.
  if (::rmdir(directory.c_str()) != 0 && errno != ENOENT) return ErrnoStatus(errno, "remove " + directory);
  return answer;
}

}  // namespace

absl::StatusOr<RdmaCmAnswer> ReadRdmaCmDefaults(const std::string& root, const std::string& device,
                                                std::uint32_t port) {
  const std::string subsystem = root + "/rdma_cm";
  const std::string directory = subsystem + "/" + device;
  if (device.empty() || device.front() == '.' || device.find('/') != std::string::npos) {
    return ErrnoStatus(EINVAL, "look at " + directory);
  }
  struct stat information {};
  if (::stat(subsystem.c_str(), &information) != 0) return WhyNoRdmaCm(root, errno);
  absl::StatusOr<RdmaCmAnswer> answer = TryOnce(directory, port);
  for (int again = 1; again < kRdmaCmAttempts && answer.status().code() == absl::StatusCode::kNotFound;
       ++again) {
    answer = TryOnce(directory, port);
  }
  return answer;
}

absl::StatusOr<RdmaCmAnswer> RdmaCmQuestion::AskThisHost() const {
  return ReadRdmaCmDefaults("/sys/kernel/config", device, port);
}

}  // namespace rdmaready
