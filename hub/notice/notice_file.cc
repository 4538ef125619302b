// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/notice_file.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "api/base/handle.h"
#include "api/base/number.h"
#include "api/base/quantity.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "hub/notice/syslog_message.h"
#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kMostNameBytes = 64;
constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kFewestSecretBytes = 16;
constexpr std::size_t kMostSecretBytes = 1024;
constexpr auto kLongestApart = std::chrono::hours(24);
constexpr char kDefaultGather[] = "10s";
constexpr char kDefaultApart[] = "1m";

absl::Status Wrong(std::string text) { return absl::InvalidArgumentError(std::move(text)); }

bool IsKey(std::string_view key) {
  const auto* settings = v1::NoticeSettings::descriptor();
  const auto* receiver = v1::NoticeReceiver::descriptor();
  const std::string word(key.substr(key.rfind('.') + 1));
  return settings->FindFieldByName(word) != nullptr || receiver->FindFieldByName(word) != nullptr;
}

// A person may have written a secret where a key stands: only known words are repeated.
std::string FaultLine(const YamlFault& fault) {
  std::string text = "not YAML, or more than plain keys and values";
  const std::string_view key = fault.key;
  if (IsKey(key.ends_with(']') ? key.substr(0, key.rfind('[')) : key)) {
    text = fault.text;
  } else if (!fault.key.empty()) {
    text = fault.meant.empty() ? "a key that is not known"
                               : fmt::format("a key that is not known (did you mean `{}`?)", fault.meant);
  }
  return fmt::format("{}:{}: {}", fault.file, fault.line, text);
}

bool IsReceiverName(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

using Url = Handle<::CURLU, ::curl_url_cleanup>;

std::string PartOf(::CURLU* url, ::CURLUPart part) {
  char* text = nullptr;
  if (::curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const Handle<char, ::curl_free> owned(text);
  return text;
}

absl::StatusOr<WebhookTarget> ReadWebhook(const v1::NoticeReceiver& receiver) {
  WebhookTarget target{.url = receiver.webhook(), .secret = receiver.secret(), .ca = receiver.ca()};
  const Url url(::curl_url());
  if (!url || target.url.size() > kMostUrlBytes ||
      ::curl_url_set(url.get(), CURLUPART_URL, target.url.c_str(), CURLU_DISALLOW_USER) != CURLUE_OK)
    return Wrong("webhook: an URL without a user is expected");
  const std::string scheme = PartOf(url.get(), CURLUPART_SCHEME);
  const std::string host = PartOf(url.get(), CURLUPART_HOST);
  target.plain = scheme == "http";
  if (!target.plain && scheme != "https") return Wrong("webhook: https is expected");
  if (target.plain && host != "localhost" && host != "[::1]" && !host.starts_with("127."))
    return Wrong("webhook: plain http goes to loopback only");
  if (!receiver.has_secret()) return target;
  if (target.secret.size() < kFewestSecretBytes || target.secret.size() > kMostSecretBytes)
    return Wrong(fmt::format("secret: from {} to {} bytes", kFewestSecretBytes, kMostSecretBytes));
  return target;
}

// HOST:PORT, [V6]:PORT.
absl::Status ReadPlace(std::string_view text, SyslogTarget& target) {
  const std::size_t colon = text.rfind(':');
  const absl::Status bad =
      Wrong("syslog: unix:/dev/log, udp:HOST:PORT, tcp:HOST:PORT or tls:HOST:PORT is expected");
  if (colon == std::string_view::npos || colon == 0) return bad;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::optional<std::uint16_t> port = ParseNumber<std::uint16_t>(text.substr(colon + 1));
  const bool plain = std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == ':';
  });
  if (!port || *port == 0 || host.empty() || host.size() > 253 || !plain) return bad;
  target.host = std::string(host);
  target.port = *port;
  return absl::OkStatus();
}

absl::StatusOr<SyslogTarget> ReadSyslog(const v1::NoticeReceiver& receiver) {
  SyslogTarget target{.ca = receiver.ca(), .sd_id = receiver.sd_id()};
  const std::string& text = receiver.syslog();
  const std::size_t colon = text.find(':');
  const std::string way = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  if (way == "unix" && rest.starts_with('/') && rest.size() < 108) {
    target.path = rest;
  } else {
    target.way = way == "udp"   ? SyslogTarget::Way::kUdp
                 : way == "tcp" ? SyslogTarget::Way::kTcp
                 : way == "tls" ? SyslogTarget::Way::kTls
                                : SyslogTarget::Way::kUnix;
    const bool known = target.way != SyslogTarget::Way::kUnix;
    RR_RETURN_IF_ERROR(ReadPlace(known ? std::string_view(rest) : std::string_view(), target));
  }
  if (receiver.has_facility()) {
    const std::optional<int> facility = SyslogFacility(receiver.facility());
    if (!facility) return Wrong("facility: daemon, user, or local0 to local7 is expected");
    target.facility = *facility;
  }
  if (receiver.has_sd_id() && !IsPrivateSdId(target.sd_id))
    return Wrong("sd_id: NAME@ENTERPRISE-NUMBER is expected, of at most 32 characters");
  return target;
}

absl::StatusOr<NoticeReceiver> ReadReceiver(const v1::NoticeReceiver& message) {
  NoticeReceiver receiver{.name = message.name(), .is_webhook = message.has_webhook()};
  if (!IsReceiverName(receiver.name))
    return Wrong(fmt::format("name: 1 to {} letters, digits, -, _ and . are expected", kMostNameBytes));
  if (message.has_webhook() == message.has_syslog()) return Wrong("either webhook or syslog is expected");
  if (message.has_webhook()) {
    if (message.has_facility() || message.has_sd_id()) return Wrong("facility and sd_id are of syslog");
    RR_ASSIGN_OR_RETURN(receiver.webhook, ReadWebhook(message));
    return receiver;
  }
  if (message.has_secret()) return Wrong("secret is of a webhook");
  RR_ASSIGN_OR_RETURN(receiver.syslog, ReadSyslog(message));
  if (message.has_ca() && receiver.syslog.way != SyslogTarget::Way::kTls) return Wrong("ca is of tls");
  return receiver;
}

absl::StatusOr<std::int64_t> ReadTime(const char* key, const std::string& text, bool may_be_never) {
  if (may_be_never && text == "0") return 0;
  const absl::StatusOr<std::chrono::milliseconds> time = ParseDuration(text);
  if (!time.ok() || (!may_be_never && *time > kLongestApart))
    return Wrong(
        fmt::format("{}: a time is expected, like {}", key, may_be_never ? "24h, or 0" : kDefaultGather));
  return std::chrono::nanoseconds(*time).count();
}

absl::StatusOr<NoticeOptions> Decode(const v1::NoticeSettings& settings) {
  NoticeOptions options;
  if (settings.receivers().empty() || settings.receivers().size() > static_cast<int>(kMostReceivers))
    return Wrong(fmt::format("receivers: from 1 to {} are expected", kMostReceivers));
  std::set<std::string> names;
  for (int i = 0; i < settings.receivers().size(); ++i) {
    absl::StatusOr<NoticeReceiver> receiver = ReadReceiver(settings.receivers(i));
    if (!receiver.ok()) return Wrong(fmt::format("receivers[{}]: {}", i, Message(receiver.status())));
    if (!names.insert(receiver->name).second) return Wrong(fmt::format("receivers[{}]: its name is taken", i));
    options.receivers.push_back(*std::move(receiver));
  }
  for (const std::string& text : settings.allow_private()) {
    const absl::StatusOr<AddressRange> range = ParseAddressRange(text);
    if (!range.ok()) return Wrong("allow_private: " + Message(range.status()));
    options.allow_private.push_back(*range);
  }
  RR_ASSIGN_OR_RETURN(options.rules.gather,
                      ReadTime("gather", settings.has_gather() ? settings.gather() : kDefaultGather, false));
  RR_ASSIGN_OR_RETURN(options.rules.apart,
                      ReadTime("apart", settings.has_apart() ? settings.apart() : kDefaultApart, false));
  RR_ASSIGN_OR_RETURN(options.rules.repeat,
                      ReadTime("repeat", settings.has_repeat() ? settings.repeat() : "0", true));
  return options;
}

}  // namespace

absl::StatusOr<NoticeOptions> ParseNotices(std::string_view yaml, const std::string& file_name) {
  std::vector<YamlFault> faults;
  const std::optional<YamlNode> root = ParseYaml(yaml, file_name, faults, {.what = "file of receivers"});
  v1::NoticeSettings settings;
  if (root && root->kind == YamlNode::Kind::kMap)
    FillMessage(*root, std::span(&file_name, 1), {}, settings, faults);
  if (!faults.empty()) return Wrong(FaultLine(faults.front()));
  absl::StatusOr<NoticeOptions> options = Decode(settings);
  if (!options.ok()) return Wrong(fmt::format("{}: {}", file_name, Message(options.status())));
  return options;
}

absl::StatusOr<NoticeOptions> LoadNotices(const std::string& path) {
  RR_ASSIGN_OR_RETURN(const std::string text, ReadOwnedFile(path, kMaxYamlBytes, kOthersWriteOrAllRead));
  return ParseNotices(text, path);
}

}  // namespace rdmaready::hub
