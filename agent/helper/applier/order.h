// SPDX-License-Identifier: Apache-2.0
// What the agent asks the applier for, and what it hears: the wire of its verbs, of both ends. Nothing in an
// order is a setting, a value or a step: the applier makes the plan itself. Profiles travel as their messages
// and are judged afresh; messages travel in hexadecimal.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/apply/configurer.h"
#include "agent/helper/verb.h"

namespace rdmaready::helper {

inline constexpr std::string_view kApplierName = "applier";
inline constexpr std::string_view kApplyVerb = "apply";
inline constexpr std::string_view kFilesVerb = "plan-files";
inline constexpr std::string_view kProvedVerb = "proved";
inline constexpr std::string_view kConfirmVerb = "confirm";
inline constexpr std::string_view kRollBackVerb = "rollback";
inline constexpr std::string_view kForgetVerb = "forget";
inline constexpr std::string_view kForgetFilesVerb = "forget-files";
inline constexpr std::string_view kStatusVerb = "status";
inline constexpr std::string_view kOwnWritesVerb = "own-writes";

// A change is told whole after each step. Both ends.
inline constexpr ProgressLimits kApplierProgress{.most = 1024, .most_bytes = std::size_t{1024} * 1024};

inline constexpr std::size_t kMostOrderProfiles = 8;
inline constexpr std::size_t kMostOrderPorts = 64;
inline constexpr std::size_t kMostOrderNameBytes = 128;
inline constexpr std::size_t kMostRequesterBytes = 256;
inline constexpr std::size_t kMostForgotten = 256;
inline constexpr std::size_t kMostProofBytes = std::size_t{16} * 1024;
// Bounds of an answer to kFilesVerb: of its files, of what no file keeps, and of the settings of each file; and
// of its message.
inline constexpr std::size_t kMostOrderFiles = 512;
inline constexpr std::size_t kMostOrderFilesBytes = std::size_t{512} * 1024;

// Without the profiles' waivers and summaries, which set nothing. Who asks is cut, and told in printable ASCII.
Json ToJson(const ApplyOrder& order);
// kInvalidArgument for what no caller asks for: no profile, more of anything than above, a profile that cannot
// be, names that are empty or hold anything but printable ASCII without blanks.
absl::StatusOr<ApplyOrder> DecodeApplyOrder(Arguments& arguments);

// For kFilesVerb. It has the bounds of an ApplyOrder, and changes nothing.
Json ToJson(const FilesOrder& order);
absl::StatusOr<FilesOrder> DecodeFilesOrder(Arguments& arguments);

struct ProvedOrder {
  std::string change_id{};
  ChangeProof proof{};
};
Json ToJson(const ProvedOrder& order);
absl::StatusOr<ProvedOrder> DecodeProvedOrder(Arguments& arguments);

// Of kConfirmVerb and kRollBackVerb.
struct ChangeOrder {
  std::string change_id{};  // 32 hexadecimal digits, else kInvalidArgument
  std::string requester{};
};
Json ToJson(const ChangeOrder& order);
absl::StatusOr<ChangeOrder> DecodeChangeOrder(Arguments& arguments);

// The order for kForgetVerb and for kForgetFilesVerb.
struct ForgetOrder {
  std::vector<SettingObject> objects{};
  std::string requester{};
};
Json ToJson(const ForgetOrder& order);
absl::StatusOr<ForgetOrder> DecodeForgetOrder(Arguments& arguments);

// Answers, and back: kInternal for what is none.
Json AnswerOf(const Change& change);
absl::StatusOr<Change> ReadChange(const Json& answer);
Json AnswerOf(const ApplierStatus& status);
absl::StatusOr<ApplierStatus> ReadApplierStatus(const Json& answer);
Json AnswerOf(const std::vector<Setting>& settings);
absl::StatusOr<std::vector<Setting>> ReadSettings(const Json& answer);
Json AnswerOf(const std::vector<BootFile>& files);
absl::StatusOr<std::vector<BootFile>> ReadBootFiles(const Json& answer);
// kResourceExhausted: more than the bounds above.
absl::StatusOr<Json> AnswerOf(const OrderFiles& files);
// kInternal also for more than the bounds above; the length counts before anything of it is decoded.
absl::StatusOr<OrderFiles> ReadOrderFiles(const Json& answer);
Json AnswerOf(const std::vector<OwnWrite>& writes);
absl::StatusOr<std::vector<OwnWrite>> ReadOwnWrites(const Json& answer);

// A change as a text of Progress, and back: kInternal for what is none.
std::string ProgressOf(const Change& change);
absl::StatusOr<Change> ReadProgressOf(std::string_view text);

}  // namespace rdmaready::helper
