// SPDX-License-Identifier: Apache-2.0
// RealHost: the host this process runs on, seen from its network and mount namespaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"
#include "collectors/real/lines.h"

namespace rdmaready {

// Holds no descriptors between calls, and of what it read only what LineFinder does. Any thread may ask.
class RealHost final : public HostReader {
 public:
  absl::StatusOr<std::string> ReadFile(std::string_view absolute_path) override;
  absl::StatusOr<std::vector<std::string>> FindLines(std::string_view absolute_path,
                                                     const std::vector<std::string>& words) override;
  absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view absolute_path) override;
  absl::StatusOr<std::string> ReadLink(std::string_view absolute_path) override;
  absl::StatusOr<std::uint32_t> FileMode(std::string_view absolute_path) override;

  // Netlink and Verbs refuse, instead of letting the kernel load a module, when ib_core or ib_uverbs is not
  // there.
  absl::StatusOr<std::vector<NetlinkMessage>> Netlink(const NetlinkRequest& request) override;
  absl::StatusOr<std::vector<std::byte>> Ethtool(const std::string& netdev,
                                                 std::span<const std::byte> request) override;
  absl::StatusOr<VerbsPortAnswer> VerbsPort(const std::string& device, std::uint32_t port) override;
  absl::StatusOr<VerbsDeviceAnswer> VerbsDevice(const std::string& device) override;
  absl::StatusOr<std::vector<VerbsGid>> VerbsGidTable(const std::string& device) override;

  absl::StatusOr<RdmaCmAnswer> RdmaCmDefaults(const std::string& device, std::uint32_t port) override;
  std::vector<absl::StatusOr<LldpFrames>> ListenForLldp(const std::vector<std::string>& netdevs,
                                                        const LldpWait& wait) override;
  absl::StatusOr<DcbNotices> ListenForDcb(const LldpWait& wait) override;
  absl::StatusOr<std::vector<std::byte>> Mad(const MadRequest& request) override;
  absl::StatusOr<std::string> AskLldpad(std::string_view question) override;
  absl::StatusOr<Memlock> MemlockLimit() override;

 private:
  LineFinder lines_;
};

}  // namespace rdmaready
