// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/recording_host.h"

#include <utility>
#include <variant>

#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr std::size_t kElementBytes = 64;  // of one element of a list, beside its own bytes

std::size_t BytesOf(const std::string& text) { return text.size(); }

std::size_t BytesOf(const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) bytes += kElementBytes + name.size();
  return bytes;
}

std::size_t BytesOf(const std::vector<NetlinkMessage>& messages) {
  std::size_t bytes = 0;
  for (const NetlinkMessage& message : messages) bytes += kElementBytes + message.payload.size();
  return bytes;
}

std::size_t BytesOf(const std::vector<std::byte>& answer) { return answer.size(); }

std::size_t BytesOf(const std::vector<VerbsGid>& gids) { return gids.size() * 2 * kElementBytes; }

std::size_t BytesOf(const LldpFrames& heard) {
  std::size_t bytes = 0;
  for (const LldpFrame& frame : heard.frames) bytes += kElementBytes + frame.bytes.size();
  return bytes;
}

std::size_t BytesOf(const std::vector<ProcessName>& processes) {
  std::size_t bytes = 0;
  for (const ProcessName& process : processes) bytes += kElementBytes + process.name.size();
  return bytes;
}

std::size_t BytesOf(const DcbNotices& heard) {
  std::size_t bytes = BytesOf(heard.residents);
  for (const DcbNotice& notice : heard.notices)
    bytes += kElementBytes + notice.payload.size() + BytesOf(notice.newcomers);
  return bytes;
}

std::size_t BytesOf(const RdmaCmAnswer& answer) {
  return answer.default_roce_mode.size() + answer.default_roce_tos.size();
}

// With their questions, a few numbers.
std::size_t BytesOf(const VerbsPortAnswer&) { return 0; }

std::size_t BytesOf(const VerbsDeviceAnswer&) { return 0; }

std::size_t BytesOf(const Memlock&) { return 0; }

std::size_t BytesOf(std::uint32_t) { return 0; }

}  // namespace

template <class Log, class Question, class Answer>
absl::StatusOr<Answer> RecordingHost::Keep(Log& log, const Question& question, absl::StatusOr<Answer> answer) {
  const std::lock_guard lock(mutex_);
  if (++answers_ > kMaxRecordedAnswers) return answer;
  const std::size_t bytes = answer.ok() ? BytesOf(*answer) : 0;
  const std::size_t cost = bytes + kElementBytes;
  if (bytes > kMaxAnswerBytes || bytes_ + cost > kMaxRecordingBytes) {
    // Said, not silent: nobody may take the question's earlier answer, or none, for this one.
    log.Add(question, NotCollected("left out of the recording: an answer of " + std::to_string(bytes) +
                                   " bytes is too large"));
    return answer;
  }
  bytes_ += cost;
  log.Add(question, answer);
  return answer;
}

absl::StatusOr<std::string> RecordingHost::ReadFile(std::string_view absolute_path) {
  return Keep(recording_.files, std::string(absolute_path), host_.ReadFile(absolute_path));
}

absl::StatusOr<std::vector<std::string>> RecordingHost::FindLines(std::string_view absolute_path,
                                                                  const std::vector<std::string>& words) {
  return Keep(recording_.lines, LinesQuestion{std::string(absolute_path), words},
              host_.FindLines(absolute_path, words));
}

absl::StatusOr<std::vector<std::string>> RecordingHost::ListDirectory(std::string_view absolute_path) {
  return Keep(recording_.directories, std::string(absolute_path), host_.ListDirectory(absolute_path));
}

absl::StatusOr<std::string> RecordingHost::ReadLink(std::string_view absolute_path) {
  return Keep(recording_.links, std::string(absolute_path), host_.ReadLink(absolute_path));
}

absl::StatusOr<std::uint32_t> RecordingHost::FileMode(std::string_view absolute_path) {
  return Keep(recording_.modes, std::string(absolute_path), host_.FileMode(absolute_path));
}

absl::StatusOr<std::vector<NetlinkMessage>> RecordingHost::Netlink(const NetlinkRequest& request) {
  return Keep(recording_.netlink, request, host_.Netlink(request));
}

absl::StatusOr<std::vector<std::byte>> RecordingHost::Ethtool(const std::string& netdev,
                                                              std::span<const std::byte> request) {
  const EthtoolQuestion question{netdev, {request.begin(), request.end()}};
  return Keep(recording_.ethtool, question, host_.Ethtool(netdev, request));
}

absl::StatusOr<VerbsPortAnswer> RecordingHost::VerbsPort(const std::string& device, std::uint32_t port) {
  return Keep(recording_.verbs_ports, PortQuestion{device, port}, host_.VerbsPort(device, port));
}

absl::StatusOr<VerbsDeviceAnswer> RecordingHost::VerbsDevice(const std::string& device) {
  return Keep(recording_.verbs_devices, device, host_.VerbsDevice(device));
}

absl::StatusOr<std::vector<VerbsGid>> RecordingHost::VerbsGidTable(const std::string& device) {
  return Keep(recording_.verbs_gids, device, host_.VerbsGidTable(device));
}

absl::StatusOr<RdmaCmAnswer> RecordingHost::RdmaCmDefaults(const std::string& device, std::uint32_t port) {
  return Keep(recording_.rdma_cm, PortQuestion{device, port}, host_.RdmaCmDefaults(device, port));
}

std::vector<absl::StatusOr<LldpFrames>> RecordingHost::ListenForLldp(const std::vector<std::string>& netdevs,
                                                                     const LldpWait& wait) {
  std::vector<absl::StatusOr<LldpFrames>> answers = host_.ListenForLldp(netdevs, wait);
  for (std::size_t i = 0; i < netdevs.size() && i < answers.size(); ++i)
    answers[i] = Keep(recording_.lldp, netdevs[i], std::move(answers[i]));
  return answers;
}

absl::StatusOr<DcbNotices> RecordingHost::ListenForDcb(const LldpWait& wait) {
  return Keep(recording_.dcb_notices, std::monostate(), host_.ListenForDcb(wait));
}

absl::StatusOr<std::vector<std::byte>> RecordingHost::Mad(const MadRequest& request) {
  return Keep(recording_.mads, request, host_.Mad(request));
}

absl::StatusOr<std::string> RecordingHost::AskLldpad(std::string_view question) {
  return Keep(recording_.lldpad, std::string(question), host_.AskLldpad(question));
}

absl::StatusOr<Memlock> RecordingHost::MemlockLimit() {
  return Keep(recording_.memlock, std::monostate(), host_.MemlockLimit());
}

}  // namespace rdmaready
