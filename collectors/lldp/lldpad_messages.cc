// SPDX-License-Identifier: Apache-2.0
#include "collectors/lldp/lldpad_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::string_view kModule = "M00000001";  // the one of the mandatory TLVs, which has them all
constexpr std::string_view kGetTlvs = "C301";
constexpr std::string_view kGetSetting = "C303";
constexpr std::string_view kOfOwn = "00000001";
constexpr std::string_view kOfNeighbour = "00000002";
constexpr std::string_view kWithArgument = "00000004";
constexpr std::string_view kNearestBridgeText = "00";
constexpr std::string_view kAllTlvs = "0000007f";
constexpr std::string_view kAdminStatus = "0badminStatus";  // with its length

constexpr std::size_t kLongestQuestion = 256;
constexpr std::size_t kStatusBytes = 3;  // R and two digits

std::string_view OperationOf(LldpadTlvs whose) { return whose == LldpadTlvs::kOwn ? kOfOwn : kOfNeighbour; }

std::string TwoDigits(std::size_t number) { return Hex(std::array{static_cast<std::uint8_t>(number)}); }

// What question and answer share.
std::string Head(std::string_view command, std::string_view operation, std::string_view netdev) {
  std::string head(command);
  head += operation;
  head += TwoDigits(netdev.size());
  head += netdev;
  return head;
}

std::optional<unsigned> HexNumber(std::string_view digits) { return ParseNumber<unsigned>(digits, 16); }

constexpr unsigned kNoAccess = 10;

// enum cmd_status of lldpad_status.h.
absl::Status StatusOf(unsigned status, std::string_view netdev) {
  constexpr unsigned kDeviceNotFound = 2;
  constexpr unsigned kAgentNotFound = 3;
  const std::string what = "ask lldpad about " + std::string(netdev) + ": ";
  if (status == kNoAccess) return absl::PermissionDeniedError(what + "it answers root only");
  if (status == kDeviceNotFound || status == kAgentNotFound)
    return absl::UnimplementedError(what + "it does not manage it");
  return absl::UnknownError(fmt::format("{}it answers with status {}", what, status));
}

absl::Status NoAnswer(std::string_view why) { return Malformed("lldpad's answer", why); }

// What follows `head` in the answer.
absl::StatusOr<std::string_view> Body(std::string_view netdev, std::string_view head, std::string_view answer) {
  if (answer.size() > kLongestLldpadAnswer) return NoAnswer("too long");
  if (answer.size() < kStatusBytes || answer.front() != 'R') return NoAnswer("no status");
  const std::optional<unsigned> status = HexNumber(answer.substr(1, kStatusBytes - 1));
  if (!status) return NoAnswer("no status");
  if (*status != 0) return StatusOf(*status, netdev);
  answer.remove_prefix(kStatusBytes);
  if (!answer.starts_with(head)) return NoAnswer("to another question");
  return answer.substr(head.size());
}

}  // namespace

std::string LldpadModeQuestion(std::string_view netdev) {
  std::string question(kModule);
  question += Head(kGetSetting, kWithArgument, netdev);
  question += kNearestBridgeText;
  question += kAdminStatus;
  return question;
}

std::string LldpadTlvsQuestion(std::string_view netdev, LldpadTlvs whose) {
  std::string question(kModule);
  question += Head(kGetTlvs, OperationOf(whose), netdev);
  question += kNearestBridgeText;
  question += kAllTlvs;
  return question;
}

bool LldpadRefused(std::string_view answer) {
  return answer.starts_with('R') && HexNumber(answer.substr(1, 2)) == kNoAccess;
}

absl::Status CheckLldpadQuestion(std::string_view question) {
  const bool module = question.starts_with(kModule) && question.size() <= kLongestQuestion;
  const std::string_view rest = question.substr(std::min(question.size(), kModule.size()));
  const auto begins = [rest](std::string_view command, std::string_view operation) {
    return rest.starts_with(command) && rest.substr(command.size()).starts_with(operation);
  };
  const bool known =
      begins(kGetTlvs, kOfOwn) || begins(kGetTlvs, kOfNeighbour) || begins(kGetSetting, kWithArgument);
  if (module && known) return absl::OkStatus();
  return absl::InvalidArgumentError("ask lldpad: that is no question");
}

absl::StatusOr<LldpadMode> DecodeLldpadMode(std::string_view netdev, std::string_view answer) {
  const std::string head = Head(kGetSetting, kWithArgument, netdev) + std::string(kAdminStatus);
  RR_ASSIGN_OR_RETURN(const std::string_view body, Body(netdev, head, answer));
  struct Word {
    std::string_view text;  // with its length
    LldpadMode mode;
  };
  constexpr std::array<Word, 4> kWords{{{"0008disabled", LldpadMode::kDisabled},
                                        {"0002tx", LldpadMode::kTx},
                                        {"0002rx", LldpadMode::kRx},
                                        {"0004rxtx", LldpadMode::kRxTx}}};
  const auto found = std::ranges::find(kWords, body, &Word::text);
  if (found == kWords.end()) return NoAnswer("an adminStatus that is unknown");
  return found->mode;
}

absl::StatusOr<std::vector<std::byte>> DecodeLldpadTlvs(std::string_view netdev, LldpadTlvs whose,
                                                        std::string_view answer) {
  const std::string head = Head(kGetTlvs, OperationOf(whose), netdev) + std::string(kAllTlvs);
  RR_ASSIGN_OR_RETURN(const std::string_view body, Body(netdev, head, answer));
  if (body.size() % 2 != 0) return NoAnswer("half a byte at its end");
  std::vector<std::byte> unit;
  unit.reserve(body.size() / 2);
  for (std::size_t at = 0; at < body.size(); at += 2) {
    const std::optional<unsigned> byte = HexNumber(body.substr(at, 2));
    if (!byte) return NoAnswer(fmt::format("no hexadecimal digits at byte {}", at / 2));
    unit.push_back(static_cast<std::byte>(*byte));
  }
  return unit;
}

}  // namespace rdmaready
