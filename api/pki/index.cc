// SPDX-License-Identifier: Apache-2.0
#include "api/pki/index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/pki/sign.h"

namespace rdmaready::pki {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxIndexBytes = std::size_t{256} << 20;

std::string Line(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n"; }

bool TakeText(const Json& json, const char* key, std::string& text) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  text = found->get<std::string>();
  return true;
}

bool TakeTime(const Json& json, const char* key, std::int64_t& time) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return false;
  time = found->get<std::int64_t>();
  return true;
}

bool TakeNames(const Json& json, std::vector<std::string>& names) {
  const auto found = json.find("names");
  if (found == json.end() || !found->is_array()) return false;
  for (const Json& name : *found) {
    if (!name.is_string()) return false;
    names.push_back(name.get<std::string>());
  }
  return true;
}

// What both kinds of line have.
bool TakeCommon(const Json& json, IndexEntry& entry, std::int64_t& at) {
  return TakeText(json, "serial", entry.serial) && SerialOfText(entry.serial) == entry.serial &&
         TakeText(json, "root", entry.root) && TakeTime(json, "not_after_unix_ns", entry.not_after_unix_ns) &&
         TakeTime(json, "at_unix_ns", at);
}

bool TakeIssued(const Json& json, IndexEntry& entry) {
  std::string kind;
  if (!TakeText(json, "kind", kind)) return false;
  entry.kind = KindOfName(kind);
  return entry.kind != Kind::kUnknown && TakeText(json, "name", entry.name) &&
         TakeText(json, "identity", entry.identity) && TakeNames(json, entry.names) &&
         TakeTime(json, "not_before_unix_ns", entry.not_before_unix_ns);
}

class IndexReader {
 public:
  bool Read(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    std::string event;
    IndexEntry entry;
    std::int64_t at = 0;
    if (!json.is_object() || !TakeText(json, "event", event) || !TakeCommon(json, entry, at)) return false;
    if (event == "revoked") {
      const auto place = places_.find(entry.serial);
      IndexEntry& revoked = place == places_.end() ? Add(std::move(entry)) : entries_[place->second];
      if (!revoked.revoked_unix_ns) revoked.revoked_unix_ns = at;
      return true;
    }
    entry.issued_unix_ns = at;
    if (event != "issued" || !TakeIssued(json, entry) || places_.contains(entry.serial)) return false;
    Add(std::move(entry));
    return true;
  }

  std::vector<IndexEntry> Entries() && { return std::move(entries_); }

 private:
  IndexEntry& Add(IndexEntry entry) {
    places_.emplace(entry.serial, entries_.size());
    return entries_.emplace_back(std::move(entry));
  }

  std::vector<IndexEntry> entries_;
  std::map<std::string, std::size_t> places_;  // by serial
};

}  // namespace

std::string IssuedLine(const IndexEntry& entry) {
  return Line({{"event", "issued"},
               {"serial", entry.serial},
               {"kind", KindName(entry.kind)},
               {"name", entry.name},
               {"identity", entry.identity},
               {"names", entry.names},
               {"root", entry.root},
               {"not_before_unix_ns", entry.not_before_unix_ns},
               {"not_after_unix_ns", entry.not_after_unix_ns},
               {"at_unix_ns", entry.issued_unix_ns}});
}

std::string RevokedLine(const IndexEntry& entry, std::int64_t now_unix_ns) {
  return Line({{"event", "revoked"},
               {"serial", entry.serial},
               {"root", entry.root},
               {"not_after_unix_ns", entry.not_after_unix_ns},
               {"at_unix_ns", now_unix_ns}});
}

absl::StatusOr<std::vector<IndexEntry>> ParseIndex(std::string_view text) {
  IndexReader reader;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    if (!reader.Read(text.substr(0, end)))
      return absl::DataLossError(fmt::format("line {} is damaged", number));
    text.remove_prefix(end + 1);
  }
  return std::move(reader).Entries();
}

absl::StatusOr<std::vector<IndexEntry>> LoadIndex(const std::string& path) {
  struct ::stat info {};
  if (::lstat(path.c_str(), &info) != 0 && errno == ENOENT) return std::vector<IndexEntry>();
  RR_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxIndexBytes));
  absl::StatusOr<std::vector<IndexEntry>> entries = ParseIndex(text);
  if (!entries.ok()) return absl::DataLossError(path + ": " + Message(entries.status()));
  return entries;
}

}  // namespace rdmaready::pki
