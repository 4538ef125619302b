// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready::recording {
namespace {

struct CodeName {
  absl::StatusCode code;
  const char* name;
};

constexpr std::array<CodeName, 16> kCodes{{
    {absl::StatusCode::kCancelled, "cancelled"},
    {absl::StatusCode::kUnknown, "unknown"},
    {absl::StatusCode::kInvalidArgument, "invalid-argument"},
    {absl::StatusCode::kDeadlineExceeded, "deadline-exceeded"},
    {absl::StatusCode::kNotFound, "not-found"},
    {absl::StatusCode::kAlreadyExists, "already-exists"},
    {absl::StatusCode::kPermissionDenied, "permission-denied"},
    {absl::StatusCode::kResourceExhausted, "resource-exhausted"},
    {absl::StatusCode::kFailedPrecondition, "failed-precondition"},
    {absl::StatusCode::kAborted, "aborted"},
    {absl::StatusCode::kOutOfRange, "not-collected"},
    {absl::StatusCode::kUnimplemented, "unimplemented"},
    {absl::StatusCode::kInternal, "internal"},
    {absl::StatusCode::kUnavailable, "unavailable"},
    {absl::StatusCode::kDataLoss, "data-loss"},
    {absl::StatusCode::kUnauthenticated, "unauthenticated"},
}};

// Counts, and keeps nothing: false ends the parser. The names and types are those that nlohmann::json_sax
// asks for.
class Bounds final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Count(); }
  bool boolean(bool) override { return Count(); }
  bool number_integer(number_integer_t) override { return Count(); }
  bool number_unsigned(number_unsigned_t) override { return Count(); }
  bool number_float(number_float_t, const string_t&) override { return Count(); }
  bool string(string_t&) override { return Count(); }
  bool binary(binary_t&) override { return Count(); }
  bool key(string_t&) override {
    widest_ = std::max(widest_, ++members_[static_cast<std::size_t>(depth_)]);
    return Count() && widest_ <= kMaxJsonMembers;
  }
  bool start_object(std::size_t) override {
    if (!Count() || ++depth_ > kMaxJsonDepth) return false;
    members_[static_cast<std::size_t>(depth_)] = 0;
    return true;
  }
  bool start_array(std::size_t) override { return Count() && ++depth_ <= kMaxJsonDepth; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  bool exceeded() const {
    return elements_ > kMaxJsonElements || depth_ > kMaxJsonDepth || widest_ > kMaxJsonMembers;
  }

 private:
  bool Count() { return ++elements_ <= kMaxJsonElements; }

  std::size_t elements_ = 0;
  int depth_ = 0;
  std::size_t widest_ = 0;
  std::array<std::size_t, kMaxJsonDepth + 1> members_{};  // of the open object at each depth
};

bool IsReadable(char letter) { return (letter >= ' ' && letter <= '~') || letter == '\n' || letter == '\t'; }

int Digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

std::optional<std::vector<std::byte>> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = Digit(text[2 * i]);
    const int low = Digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return bytes;
}

std::optional<std::string> TextOf(const Json& json) {
  if (json.is_string()) return json.get_ref<const std::string&>();
  if (!json.is_object() || json.size() != 1) return std::nullopt;
  const auto hex = json.find("hex");
  if (hex == json.end() || !hex->is_string()) return std::nullopt;
  const std::optional<std::vector<std::byte>> bytes = FromHex(hex->get_ref<const std::string&>());
  if (!bytes) return std::nullopt;
  std::string text(bytes->size(), '\0');
  std::ranges::transform(*bytes, text.begin(), [](std::byte one) { return static_cast<char>(one); });
  return text;
}

}  // namespace

Json FromText(std::string_view text) {
  if (std::ranges::all_of(text, IsReadable)) return std::string(text);
  return {{"hex", HexOf(std::as_bytes(std::span(text.data(), text.size())))}};
}

std::string HexOf(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    text.push_back(kDigits[std::to_integer<std::size_t>(byte >> 4)]);
    text.push_back(kDigits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return text;
}

absl::StatusOr<Json> ParseObject(std::string_view text) {
  Bounds bounds;
  if (!Json::sax_parse(text, &bounds)) {
    return absl::InvalidArgumentError(bounds.exceeded() ? "too deep, or of too many elements" : "not JSON");
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("not JSON");
  if (!json.is_object()) return absl::InvalidArgumentError("not a JSON object");
  return json;
}

Json FromStatus(const absl::Status& status) {
  const auto* const row = std::ranges::find(kCodes, status.code(), &CodeName::code);
  const char* name = row == kCodes.end() ? "unknown" : row->name;
  return {{"code", name}, {"text", FromText(Message(status))}};
}

bool Reader::Has(const char* key) const { return object_.contains(key); }

const Json* Reader::Member(const char* key) {
  asked_.insert(key);
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  Fail("no \"" + std::string(key) + "\"");
  return nullptr;
}

void Reader::Fail(const std::string& why) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(why);
}

std::string Reader::Text(const char* key) {
  const Json* member = Member(key);
  if (member == nullptr) return {};
  std::optional<std::string> text = TextOf(*member);
  if (!text) Fail("no text \"" + std::string(key) + "\"");
  return std::move(text).value_or("");
}

std::vector<std::byte> Reader::Bytes(const char* key) {
  const Json* member = Member(key);
  if (member == nullptr) return {};
  std::optional<std::vector<std::byte>> bytes;
  if (member->is_string()) bytes = FromHex(member->get_ref<const std::string&>());
  if (!bytes) Fail("no hexadecimal bytes \"" + std::string(key) + "\"");
  return std::move(bytes).value_or(std::vector<std::byte>());
}

bool Reader::Flag(const char* key) {
  const Json* member = Member(key);
  if (member == nullptr) return false;
  if (!member->is_boolean()) Fail("no true or false \"" + std::string(key) + "\"");
  return member->is_boolean() && member->get<bool>();
}

std::uint64_t Reader::UpTo(const char* key, std::uint64_t largest) {
  const Json* member = Member(key);
  if (member == nullptr) return 0;
  if (!member->is_number_unsigned() || member->get<std::uint64_t>() > largest) {
    Fail("no number \"" + std::string(key) + "\", or too large a one");
    return 0;
  }
  return member->get<std::uint64_t>();
}

void Reader::Each(const char* key, const std::function<void(Reader& reader)>& read) {
  const Json* list = Member(key);
  if (list == nullptr) return;
  if (!list->is_array()) return Fail("no list \"" + std::string(key) + "\"");
  for (const Json& one : *list) {
    if (!one.is_object()) return Fail("\"" + std::string(key) + "\" holds something else than objects");
    Reader reader(one);
    read(reader);
    if (absl::Status status = reader.status(); !status.ok()) {
      if (status_.ok()) status_ = std::move(status);
      return;
    }
  }
}

std::vector<std::string> Reader::Texts(const char* key) {
  std::vector<std::string> texts;
  const Json* list = Member(key);
  if (list == nullptr) return texts;
  for (const Json& one : *list) {
    std::optional<std::string> text = list->is_array() ? TextOf(one) : std::nullopt;
    if (!text) {
      Fail("no list of texts \"" + std::string(key) + "\"");
      return texts;
    }
    texts.push_back(*std::move(text));
  }
  if (!list->is_array()) Fail("no list of texts \"" + std::string(key) + "\"");
  return texts;
}

absl::Status Reader::Error(const char* key) {
  const Json* member = Member(key);
  if (member == nullptr) return absl::UnknownError("");
  if (!member->is_object()) {
    Fail("no object \"" + std::string(key) + "\"");
    return absl::UnknownError("");
  }
  Reader reader(*member);
  const std::string name = reader.Text("code");
  const std::string text = reader.Text("text");
  const auto* const row = std::ranges::find(kCodes, name, &CodeName::name);
  if (row == kCodes.end()) reader.Fail("no such error code as \"" + SafeLine(name, 40) + "\"");
  if (absl::Status status = reader.status(); !status.ok()) {
    if (status_.ok()) status_ = std::move(status);
    return absl::UnknownError("");
  }
  return {row->code, text};
}

absl::Status Reader::status() {
  for (auto member = object_.begin(); member != object_.end(); ++member) {
    if (!asked_.contains(member.key())) Fail("unknown member \"" + SafeLine(member.key(), 40) + "\"");
  }
  return status_;
}

}  // namespace rdmaready::recording
