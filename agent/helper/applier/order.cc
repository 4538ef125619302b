// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "api/base/octets.h"
#include "api/base/status.h"
#include "api/convert/absent.h"
#include "api/convert/records.h"
#include "api/profile/profile_proto.h"

namespace rdmaready::helper {
namespace {

constexpr std::size_t kChangeIdDigits = 32;
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kMostOrderProfileBytes = std::size_t{16} * 1024;
constexpr std::size_t kOwnWriteBytes = 8;

template <class Message>
std::string HexOfMessage(const Message& message) {
  const std::string bytes = message.SerializeAsString();
  return recording::HexOf(std::as_bytes(std::span(bytes)));
}

template <class Message>
bool ParseMessage(const std::vector<std::byte>& bytes, Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool IsPlain(char letter) { return letter > ' ' && letter <= '~'; }

std::string Printable(std::string_view text) {
  std::string line(text.substr(0, kMostRequesterBytes));
  std::ranges::replace_if(
      line, [](char letter) { return !IsPlain(letter) && letter != ' '; }, '?');
  return line;
}

std::string RequesterOf(Arguments& arguments) {
  std::string requester = arguments.Text("requester");
  if (requester == kApplierName) arguments.Fail("\"requester\" is the applier's own name in the audit");
  if (requester != Printable(requester)) arguments.Fail("\"requester\" is too long, or cannot be printed");
  return requester;
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMostOrderNameBytes && std::ranges::all_of(name, IsPlain);
}

bool IsHex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

std::string ChangeIdOf(Arguments& arguments) {
  std::string id = arguments.Text("change");
  if (!IsHex(id, kChangeIdDigits)) arguments.Fail("\"change\" is no change's id");
  return id;
}

std::vector<std::string> PortsOf(Arguments& arguments) {
  std::vector<std::string> ports = arguments.Texts("ports");
  if (ports.size() > kMostOrderPorts) arguments.Fail("too many \"ports\"");
  if (!std::ranges::all_of(ports, IsName)) arguments.Fail("\"ports\" holds what is no name");
  return ports;
}

Profile ProfileOf(Arguments& member) {
  const std::vector<std::byte> bytes = member.Bytes("content");
  v1::Profile message;
  if (bytes.size() > kMostOrderProfileBytes || !ParseMessage(bytes, message)) {
    member.Fail("a profile cannot be read");
    return {};
  }
  absl::StatusOr<Profile> profile = FromProto(message);
  if (!profile.ok()) member.Fail(Message(profile.status()));
  return std::move(profile).value_or(Profile());
}

// Whatever its message says: nothing of it is judged.
void DropWhatSetsNothing(Profile& profile) {
  profile.digest.clear();
  profile.summary.clear();
  profile.waivers.clear();
}

std::vector<Profile> ProfilesOf(Arguments& arguments) {
  std::vector<Profile> profiles = arguments.List<Profile>("profiles", ProfileOf);
  if (profiles.empty()) arguments.Fail("no profile");
  if (profiles.size() > kMostOrderProfiles) arguments.Fail("too many \"profiles\"");
  for (Profile& profile : profiles) DropWhatSetsNothing(profile);
  return profiles;
}

Json JsonOf(const std::vector<Profile>& profiles) {
  Json json = Json::array();
  for (const Profile& profile : profiles) json.push_back({{"content", HexOfMessage(ContentOf(profile))}});
  return json;
}

Json JsonOf(const std::vector<std::string>& names) {
  Json json = Json::array();
  for (const std::string& name : names) json.push_back(recording::FromText(name));
  return json;
}

SettingObject ObjectOf(Arguments& member) {
  SettingObject object{.kind = SettingKindNamed(member.Text("kind")),
                       .where = member.Text("where"),
                       .name = member.Text("name")};
  if (object.kind == SettingKind::kUnknown) member.Fail("no such kind of setting");
  if (object.where.empty() && object.name.empty()) member.Fail("an object of no name");
  for (const std::string& name : {object.where, object.name})
    if (!name.empty() && !IsName(name)) member.Fail("an object of an impossible name");
  return object;
}

absl::Status Unreadable() { return absl::InternalError("its answer cannot be read"); }

// Of an answer that is one message: {"KEY": hexadecimal}.
template <class Message>
absl::StatusOr<Message> MessageIn(const Json& answer, const char* key,
                                  std::size_t most_bytes = kMostAnswerBytes) {
  const auto text = answer.find(key);
  if (text != answer.end() && text->is_string() &&
      text->template get_ref<const std::string&>().size() > 2 * most_bytes)
    return Unreadable();
  recording::Reader members(answer);
  const std::vector<std::byte> bytes = members.Bytes(key);
  Message message;
  if (!members.status().ok() || !ParseMessage(bytes, message)) return Unreadable();
  return message;
}

// Nothing but files and what none keeps, and of each list as much as is taken.
bool IsWithinBounds(const v1::Plan& message) {
  const auto fits = [](const auto& list) { return static_cast<std::size_t>(list.size()) <= kMostOrderFiles; };
  const bool only_files = message.steps().empty() && message.refusals().empty() && message.pending().empty() &&
                          message.users().empty() && message.profiles().empty() && message.unknown().empty() &&
                          message.manual().empty();
  return only_files && fits(message.persist()) && fits(message.unkept()) &&
         std::ranges::all_of(message.persist(),
                             [&](const v1::PersistFile& file) { return fits(file.keeps()); });
}

}  // namespace

Json ToJson(const ApplyOrder& order) {
  Json json{{"profiles", JsonOf(order.profiles)},
            {"ports", JsonOf(order.ports)},
            {"confirm_within_ms", order.confirm_within_ms},
            {"allow_one_way", order.allow_one_way},
            {"proof", order.proof},
            {"peer_proof", order.peer_proof},
            {"requester", Printable(order.requester)}};
  // An applier of an earlier version does not know it; where nobody agreed to a plan it need not.
  if (!order.plan_sha256.empty()) json["plan_sha256"] = order.plan_sha256;
  if (order.persist) json["persist"] = true;
  return json;
}

absl::StatusOr<ApplyOrder> DecodeApplyOrder(Arguments& arguments) {
  ApplyOrder order{.profiles = ProfilesOf(arguments),
                   .ports = PortsOf(arguments),
                   .confirm_within_ms = arguments.Unsigned<std::uint32_t>("confirm_within_ms"),
                   .allow_one_way = arguments.Flag("allow_one_way"),
                   .proof = arguments.Flag("proof"),
                   .peer_proof = arguments.Flag("peer_proof"),
                   .requester = RequesterOf(arguments),
                   .plan_sha256 = arguments.Has("plan_sha256") ? arguments.Text("plan_sha256") : "",
                   .persist = arguments.Has("persist") && arguments.Flag("persist")};
  if (!order.plan_sha256.empty() && !IsHex(order.plan_sha256, kDigestDigits))
    arguments.Fail("\"plan_sha256\" is no digest");
  RR_RETURN_IF_ERROR(arguments.status());
  return order;
}

Json ToJson(const FilesOrder& order) {
  return {{"profiles", JsonOf(order.profiles)}, {"ports", JsonOf(order.ports)}};
}

absl::StatusOr<FilesOrder> DecodeFilesOrder(Arguments& arguments) {
  FilesOrder order{.profiles = ProfilesOf(arguments), .ports = PortsOf(arguments)};
  RR_RETURN_IF_ERROR(arguments.status());
  return order;
}

Json ToJson(const ProvedOrder& order) {
  return {{"change", order.change_id}, {"proof", HexOfMessage(ToProto(order.proof))}};
}

absl::StatusOr<ProvedOrder> DecodeProvedOrder(Arguments& arguments) {
  ProvedOrder order{.change_id = ChangeIdOf(arguments)};
  const std::vector<std::byte> bytes = arguments.Bytes("proof");
  v1::ChangeProof message;
  if (bytes.size() > kMostProofBytes || !ParseMessage(bytes, message))
    arguments.Fail("the proof cannot be read");
  RR_RETURN_IF_ERROR(arguments.status());
  order.proof = FromProto(message);
  return order;
}

Json ToJson(const ChangeOrder& order) {
  return {{"change", order.change_id}, {"requester", Printable(order.requester)}};
}

absl::StatusOr<ChangeOrder> DecodeChangeOrder(Arguments& arguments) {
  ChangeOrder order{.change_id = ChangeIdOf(arguments), .requester = RequesterOf(arguments)};
  RR_RETURN_IF_ERROR(arguments.status());
  return order;
}

Json ToJson(const ForgetOrder& order) {
  Json objects = Json::array();
  for (const SettingObject& object : order.objects) {
    objects.push_back({{"kind", std::string(NameOf(object.kind))},
                       {"where", recording::FromText(object.where)},
                       {"name", recording::FromText(object.name)}});
  }
  return {{"objects", std::move(objects)}, {"requester", Printable(order.requester)}};
}

absl::StatusOr<ForgetOrder> DecodeForgetOrder(Arguments& arguments) {
  ForgetOrder order{.objects = arguments.List<SettingObject>("objects", ObjectOf),
                    .requester = RequesterOf(arguments)};
  if (order.objects.size() > kMostForgotten) arguments.Fail("too many \"objects\"");
  RR_RETURN_IF_ERROR(arguments.status());
  return order;
}

Json AnswerOf(const Change& change) { return {{"change", HexOfMessage(ToProto(change))}}; }

absl::StatusOr<Change> ReadChange(const Json& answer) {
  RR_ASSIGN_OR_RETURN(const v1::Change message, MessageIn<v1::Change>(answer, "change"));
  return FromProto(message);
}

Json AnswerOf(const ApplierStatus& status) { return {{"status", HexOfMessage(ToProto(status))}}; }

absl::StatusOr<ApplierStatus> ReadApplierStatus(const Json& answer) {
  RR_ASSIGN_OR_RETURN(const v1::ApplierStatus message, MessageIn<v1::ApplierStatus>(answer, "status"));
  return FromProto(message);
}

// As what is kept: the one message that has settings alone.
Json AnswerOf(const std::vector<Setting>& settings) {
  return {{"settings", HexOfMessage(ToProto(ApplierStatus{.kept = settings}))}};
}

absl::StatusOr<std::vector<Setting>> ReadSettings(const Json& answer) {
  RR_ASSIGN_OR_RETURN(const v1::ApplierStatus message, MessageIn<v1::ApplierStatus>(answer, "settings"));
  return FromProto(message).kept;
}

// As those of a status: the one message that has files alone.
Json AnswerOf(const std::vector<BootFile>& files) {
  return {{"files", HexOfMessage(ToProto(ApplierStatus{.files = files}))}};
}

absl::StatusOr<std::vector<BootFile>> ReadBootFiles(const Json& answer) {
  RR_ASSIGN_OR_RETURN(const v1::ApplierStatus message, MessageIn<v1::ApplierStatus>(answer, "files"));
  return FromProto(message).files;
}

// As those of a plan: the one message that has files with their text.
absl::StatusOr<Json> AnswerOf(const OrderFiles& files) {
  const v1::Plan message = ToProto(Plan{.persist = files.persist, .unkept = files.unkept});
  if (!IsWithinBounds(message) || message.ByteSizeLong() > kMostOrderFilesBytes) {
    return absl::ResourceExhaustedError(
        fmt::format("{} files are more than an answer holds", files.persist.size()));
  }
  return Json{{"plan", HexOfMessage(message)}};
}

absl::StatusOr<OrderFiles> ReadOrderFiles(const Json& answer) {
  RR_ASSIGN_OR_RETURN(const v1::Plan message, MessageIn<v1::Plan>(answer, "plan", kMostOrderFilesBytes));
  const auto is_whole = [](const auto& element) { return convert::Unsaid(element).empty(); };
  if (!IsWithinBounds(message) || !std::ranges::all_of(message.persist(), is_whole) ||
      !std::ranges::all_of(message.unkept(), is_whole))
    return Unreadable();
  Plan plan = FromProto(message);
  return OrderFiles{.persist = std::move(plan.persist), .unkept = std::move(plan.unkept)};
}

Json AnswerOf(const std::vector<OwnWrite>& writes) {
  std::vector<std::byte> bytes(writes.size() * kOwnWriteBytes);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    PutBig(bytes, i * kOwnWriteBytes, writes[i].port_id);
    PutBig(bytes, i * kOwnWriteBytes + sizeof(std::uint32_t), writes[i].sequence);
  }
  return {{"writes", recording::HexOf(bytes)}};
}

absl::StatusOr<std::vector<OwnWrite>> ReadOwnWrites(const Json& answer) {
  recording::Reader members(answer);
  const std::vector<std::byte> bytes = members.Bytes("writes");
  if (!members.status().ok() || bytes.size() % kOwnWriteBytes != 0) return Unreadable();
  std::vector<OwnWrite> writes;
  for (std::size_t at = 0; at < bytes.size(); at += kOwnWriteBytes) {
    writes.push_back({.port_id = GetBig<std::uint32_t>(bytes, at),
                      .sequence = GetBig<std::uint32_t>(bytes, at + sizeof(std::uint32_t))});
  }
  return writes;
}

std::string ProgressOf(const Change& change) { return HexOfMessage(ToProto(change)); }

absl::StatusOr<Change> ReadProgressOf(std::string_view text) {
  return ReadChange({{"change", std::string(text)}});
}

}  // namespace rdmaready::helper
