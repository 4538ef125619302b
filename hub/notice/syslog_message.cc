// SPDX-License-Identifier: Apache-2.0
#include "hub/notice/syslog_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "api/base/number.h"
#include "hub/notice/notice_text.h"

namespace rdmaready::hub {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
constexpr char kReplacement[] = "\xEF\xBF\xBD";
constexpr std::size_t kMostParamBytes = 128;  // all of them fit into a datagram, escaped
constexpr std::size_t kMostIncidentsBytes = 660;  // 20 of 32 octets; in place of what is said of one host
constexpr int kSyslogError = 3;
constexpr int kSyslogWarning = 4;
constexpr int kSyslogNotice = 5;

int SeverityOfNotice(const v1::Notice& notice) {
  if (notice.state() == v1::NOTICE_STATE_OVER || notice.state() == v1::NOTICE_STATE_EASED) return kSyslogNotice;
  switch (notice.kind()) {
    case v1::NOTICE_KIND_NOT_READY:
    case v1::NOTICE_KIND_FINDING:
      return kSyslogError;
    case v1::NOTICE_KIND_SILENT:
    case v1::NOTICE_KIND_UNDETERMINED:
    case v1::NOTICE_KIND_ODD:
      return kSyslogWarning;
    default:
      return kSyslogNotice;
  }
}

// PRINTUSASCII, or the nil value.
std::string HeaderWord(std::string_view text, std::size_t most) {
  std::string word(text.substr(0, most));
  std::ranges::replace_if(
      word, [](char c) { return c < '!' || c > '~'; }, '?');
  return word.empty() ? "-" : word;
}

std::string SyslogTime(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, unix_ns / 1'000 % 1'000'000);
}

// How many octets of a well-formed sequence begin there; 0: none.
std::size_t SequenceAt(std::string_view text, std::size_t at) {
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = octet(at);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xc2 && lead <= 0xdf   ? 2
                           : (lead & 0xf0) == 0xe0        ? 3
                           : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                          : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((octet(at + i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = octet(at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return overlong || beyond ? 0 : size;
}

// C0, DEL, C1, and the separators of lines and paragraphs.
bool IsControl(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7f;
  if (sequence.size() == 2) return lead == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
  return sequence == "\xE2\x80\xA8" || sequence == "\xE2\x80\xA9";
}

void CutText(std::string& text, std::size_t most) {
  if (text.size() <= most) return;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
}

std::string ParamValue(std::string_view text, std::size_t most) {
  std::string clean = CleanText(text);
  CutText(clean, most);
  std::string escaped;
  for (const char c : clean) {
    if (c == '"' || c == '\\' || c == ']') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The first of them, each whole.
std::string IncidentsOf(const v1::Notice& notice, std::size_t most) {
  std::string words;
  for (const std::string& incident : notice.incidents()) {
    if (words.size() + 1 + incident.size() > most) break;
    if (!words.empty()) words += ' ';
    words += incident;
  }
  return words;
}

std::string StructuredData(const v1::Notice& notice, const std::string& sd_id) {
  if (sd_id.empty()) return "-";
  std::string data = "[" + sd_id;
  const auto add = [&](std::string_view name, std::string_view value, std::size_t most = kMostParamBytes) {
    if (!value.empty()) data += fmt::format(" {}=\"{}\"", name, ParamValue(value, most));
  };
  const bool is_of_one = notice.hosts() == 1 && notice.named_size() == 1;
  const std::size_t most_of_incidents = is_of_one ? kMostParamBytes : kMostIncidentsBytes;
  add("kind", NoticeKindWord(notice.kind()));
  add("state", NoticeStateWord(notice.state()));
  add("incident", notice.incident());
  add("incidents", IncidentsOf(notice, most_of_incidents), most_of_incidents);
  add("group", notice.group());
  add("hosts", std::to_string(notice.hosts()));
  if (is_of_one) {
    add("host", notice.named(0).name());
    add("hostId", notice.named(0).host_id());
    add("check", notice.named(0).check());
    add("subject", notice.named(0).subject());
  }
  return data + "]";
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = SequenceAt(text, at);
    if (size == 0) {
      clean += kReplacement;
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, size);
    clean += IsControl(sequence) ? " " : sequence;
    at += size;
  }
  return clean;
}

std::string SyslogMessage(const v1::Notice& notice, const SyslogIdentity& identity, std::size_t most_bytes) {
  std::string message =
      fmt::format("<{}>1 {} {} rdmaready-hub {} {} {} ", identity.facility * 8 + SeverityOfNotice(notice),
                  SyslogTime(notice.unix_ns()), HeaderWord(identity.hostname, 255), identity.process,
                  HeaderWord(NoticeKindWord(notice.kind()), 32), StructuredData(notice, identity.sd_id));
  const std::string text = CleanText(notice.text());
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    message += kByteOrderMark;
  message += text;
  CutText(message, most_bytes);
  return message;
}

std::optional<int> SyslogFacility(std::string_view name) {
  if (name == "user") return 1;
  if (name == "daemon") return 3;
  constexpr int kLocal0 = 16;
  if (name.size() == 6 && name.starts_with("local") && name[5] >= '0' && name[5] <= '7')
    return kLocal0 + (name[5] - '0');
  return std::nullopt;
}

bool IsPrivateSdId(std::string_view id) {
  constexpr std::size_t kMostSdIdBytes = 32;
  const std::size_t at = id.find('@');
  if (id.size() > kMostSdIdBytes || at == std::string_view::npos || at == 0) return false;
  const std::optional<std::uint32_t> number = ParseNumber<std::uint32_t>(id.substr(at + 1));
  return number && *number != 0 && std::ranges::all_of(id.substr(0, at), [](char c) {
           return c > ' ' && c <= '~' && c != '=' && c != ']' && c != '"' && c != '@';
         });
}

}  // namespace rdmaready::hub
