// SPDX-License-Identifier: Apache-2.0
// RecordedHost: a host as it was when it was recorded. Each question gets the answer it got then, errors too;
// asked again, the next one, and the last one stays. Nothing is waited for. A question that nobody asked then
// is NotCollected: never "absent", although a newer version may ask it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/host_reader.h"
#include "collectors/recording/recording.h"

namespace rdmaready {

class RecordedHost final : public HostReader {
 public:
  explicit RecordedHost(Recording recording);

  absl::StatusOr<std::string> ReadFile(std::string_view absolute_path) override;
  absl::StatusOr<std::vector<std::string>> FindLines(std::string_view absolute_path,
                                                     const std::vector<std::string>& words) override;
  absl::StatusOr<std::vector<std::string>> ListDirectory(std::string_view absolute_path) override;
  absl::StatusOr<std::string> ReadLink(std::string_view absolute_path) override;
  absl::StatusOr<std::uint32_t> FileMode(std::string_view absolute_path) override;
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
  absl::Status NeverAsked(const std::string& question) const;

  Recording recording_;
};

}  // namespace rdmaready
