// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/base/status.h"
#include "collectors/recording/json.h"

namespace rdmaready::bundle {
namespace {

using recording::Json;
using recording::Reader;

// More than 60,000 members of usual paths take.
constexpr std::size_t kMaxManifestBytes = std::size_t{24} << 20;

Json ListOfHosts(const Bundle& bundle) {
  Json hosts = Json::array();
  for (const BundledHost& host : bundle.hosts) {
    Json versions = Json::array();
    for (const Versioned& one : host.versions)
      versions.push_back({{"what", one.what}, {"version", one.version}});
    hosts.push_back({{"name", host.name},
                     {"folder", host.folder},
                     {"error", host.error},
                     {"versions", std::move(versions)}});
  }
  return hosts;
}

BundledHost HostOf(Reader& reader) {
  BundledHost host{.name = reader.Text("name"), .folder = reader.Text("folder"), .error = reader.Text("error")};
  host.versions = reader.List<Versioned>("versions", [](Reader& one) {
    return Versioned{.what = one.Text("what"), .version = one.Text("version")};
  });
  return host;
}

// The least that reads it.
std::uint32_t FormatOf(const Bundle& bundle) {
  const bool profiles = std::ranges::any_of(
      bundle.hosts, [](const BundledHost& host) { return host.members.contains(std::string(kJudgedBy)); });
  return profiles ? kFormat : kFormatWithoutProfiles;
}

absl::Status InManifest(std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", kManifest, why));
}

}  // namespace

std::string ManifestText(const Bundle& bundle, const std::vector<ListedMember>& members) {
  Json left_out = Json::array();
  for (const LeftOut& one : bundle.left_out) {
    left_out.push_back({{"host", one.host}, {"what", one.what}, {"why", one.why}});
  }
  Json list = Json::array();
  for (const ListedMember& one : members) {
    list.push_back({{"path", one.path}, {"bytes", one.bytes}, {"sha256", one.sha256}});
  }
  const Json json{{"schema", kSchema},
                  {"format", FormatOf(bundle)},
                  {"version", bundle.version},
                  {"created_unix_ns", bundle.created_unix_ns},
                  {"pseudonyms", bundle.pseudonyms},
                  {"hosts", ListOfHosts(bundle)},
                  {"left_out", std::move(left_out)},
                  {"members", std::move(list)}};
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<Manifest> ReadManifest(std::string_view text) {
  if (text.size() > kMaxManifestBytes) return InManifest("too large");
  const absl::StatusOr<Json> json = recording::ParseObject(text);
  if (!json.ok()) return InManifest(Message(json.status()));
  // Before anything else: a newer format may look different in everything.
  const auto schema = json->find("schema");
  if (schema == json->end() || *schema != kSchema) return InManifest("not that of a bundle");
  const auto format = json->find("format");
  if (format == json->end() || !format->is_number_unsigned()) return InManifest("it has no format");
  if (*format != kFormat && *format != kFormatWithoutProfiles) {
    return InManifest(fmt::format("of format {}, and this program knows {}: a newer rdmaready reads it",
                                  format->get<std::uint64_t>(), kFormat));
  }
  Reader reader(*json);
  reader.Ignore("schema");
  reader.Ignore("format");
  Manifest manifest;
  Bundle& bundle = manifest.bundle;
  bundle.version = reader.Text("version");
  bundle.created_unix_ns = reader.Unsigned<std::uint64_t>("created_unix_ns");
  if (bundle.created_unix_ns >> 63 != 0) reader.Fail("no time \"created_unix_ns\"");
  bundle.pseudonyms = reader.Flag("pseudonyms");
  bundle.hosts = reader.List<BundledHost>("hosts", HostOf);
  bundle.left_out = reader.List<LeftOut>("left_out", [](Reader& one) {
    return LeftOut{.host = one.Text("host"), .what = one.Text("what"), .why = one.Text("why")};
  });
  manifest.members = reader.List<ListedMember>("members", [](Reader& one) {
    return ListedMember{
        .path = one.Text("path"), .bytes = one.Unsigned<std::uint64_t>("bytes"), .sha256 = one.Text("sha256")};
  });
  if (const absl::Status status = reader.status(); !status.ok()) return InManifest(Message(status));
  return manifest;
}

}  // namespace rdmaready::bundle
