// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/recorded_host.h"

#include <utility>
#include <variant>

#include "api/base/status.h"

namespace rdmaready {

RecordedHost::RecordedHost(Recording recording) : recording_(std::move(recording)) {}

absl::Status RecordedHost::NeverAsked(const std::string& question) const {
  return NotCollected(question + ": not in the recording (made by rdmaready " + recording_.rdmaready + ")");
}

absl::StatusOr<std::string> RecordedHost::ReadFile(std::string_view absolute_path) {
  const std::string path(absolute_path);
  const auto* answer = recording_.files.Next(path);
  return answer == nullptr ? NeverAsked("read " + path) : *answer;
}

absl::StatusOr<std::vector<std::string>> RecordedHost::FindLines(std::string_view absolute_path,
                                                                 const std::vector<std::string>& words) {
  const std::string path(absolute_path);
  const auto* answer = recording_.lines.Next({path, words});
  return answer == nullptr ? NeverAsked("find lines in " + path) : *answer;
}

absl::StatusOr<std::vector<std::string>> RecordedHost::ListDirectory(std::string_view absolute_path) {
  const std::string path(absolute_path);
  const auto* answer = recording_.directories.Next(path);
  return answer == nullptr ? NeverAsked("list " + path) : *answer;
}

absl::StatusOr<std::string> RecordedHost::ReadLink(std::string_view absolute_path) {
  const std::string path(absolute_path);
  const auto* answer = recording_.links.Next(path);
  return answer == nullptr ? NeverAsked("read link " + path) : *answer;
}

absl::StatusOr<std::uint32_t> RecordedHost::FileMode(std::string_view absolute_path) {
  const std::string path(absolute_path);
  const auto* answer = recording_.modes.Next(path);
  return answer == nullptr ? NeverAsked("look at " + path) : *answer;
}

absl::StatusOr<std::vector<NetlinkMessage>> RecordedHost::Netlink(const NetlinkRequest& request) {
  const auto* answer = recording_.netlink.Next(request);
  if (answer != nullptr) return *answer;
  return NeverAsked("ask netlink protocol " + std::to_string(request.protocol) + " type " +
                    std::to_string(request.type));
}

absl::StatusOr<std::vector<std::byte>> RecordedHost::Ethtool(const std::string& netdev,
                                                             std::span<const std::byte> request) {
  const auto* answer = recording_.ethtool.Next({netdev, {request.begin(), request.end()}});
  return answer == nullptr ? NeverAsked("ask ethtool about " + netdev) : *answer;
}

absl::StatusOr<VerbsPortAnswer> RecordedHost::VerbsPort(const std::string& device, std::uint32_t port) {
  const auto* answer = recording_.verbs_ports.Next({device, port});
  return answer == nullptr ? NeverAsked("query verbs port " + device + "/" + std::to_string(port)) : *answer;
}

absl::StatusOr<VerbsDeviceAnswer> RecordedHost::VerbsDevice(const std::string& device) {
  const auto* answer = recording_.verbs_devices.Next(device);
  return answer == nullptr ? NeverAsked("query verbs device " + device) : *answer;
}

absl::StatusOr<std::vector<VerbsGid>> RecordedHost::VerbsGidTable(const std::string& device) {
  const auto* answer = recording_.verbs_gids.Next(device);
  return answer == nullptr ? NeverAsked("query GID table of " + device) : *answer;
}

absl::StatusOr<RdmaCmAnswer> RecordedHost::RdmaCmDefaults(const std::string& device, std::uint32_t port) {
  const auto* answer = recording_.rdma_cm.Next({device, port});
  return answer == nullptr ? NeverAsked("read the RDMA-CM defaults of " + device + "/" + std::to_string(port))
                           : *answer;
}

std::vector<absl::StatusOr<LldpFrames>> RecordedHost::ListenForLldp(const std::vector<std::string>& netdevs,
                                                                    const LldpWait&) {
  std::vector<absl::StatusOr<LldpFrames>> answers;
  for (const std::string& netdev : netdevs) {
    const auto* answer = recording_.lldp.Next(netdev);
    answers.push_back(answer == nullptr ? NeverAsked("listen for LLDP on " + netdev) : *answer);
  }
  return answers;
}

absl::StatusOr<DcbNotices> RecordedHost::ListenForDcb(const LldpWait&) {
  const auto* answer = recording_.dcb_notices.Next({});
  return answer == nullptr ? NeverAsked("listen for DCB") : *answer;
}

absl::StatusOr<std::vector<std::byte>> RecordedHost::Mad(const MadRequest& request) {
  const auto* answer = recording_.mads.Next(request);
  if (answer != nullptr) return *answer;
  return NeverAsked("ask the management agent of " + request.device + "/" + std::to_string(request.port));
}

absl::StatusOr<std::string> RecordedHost::AskLldpad(std::string_view question) {
  const auto* answer = recording_.lldpad.Next(std::string(question));
  return answer == nullptr ? NeverAsked("ask lldpad") : *answer;
}

absl::StatusOr<Memlock> RecordedHost::MemlockLimit() {
  const auto* answer = recording_.memlock.Next({});
  return answer == nullptr ? NeverAsked("get RLIMIT_MEMLOCK") : *answer;
}

}  // namespace rdmaready
