// SPDX-License-Identifier: Apache-2.0
// RecordingHost: passes every question on to another host, and keeps question and answer, errors too.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/host_reader.h"
#include "collectors/recording/recording.h"

namespace rdmaready {

class RecordingHost final : public HostReader {
 public:
  // `host` outlives it.
  explicit RecordingHost(HostReader& host) : host_(host) {}

  // What was kept. The fields about the recording as a whole are empty.
  Recording Take() { return std::move(recording_); }

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
  // The answer, kept on the way.
  template <class Log, class Question, class Answer>
  absl::StatusOr<Answer> Keep(Log& log, const Question& question, absl::StatusOr<Answer> answer);

  HostReader& host_;
  std::mutex mutex_;  // two may listen at once; guards what follows
  Recording recording_;
  std::size_t answers_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace rdmaready
