// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/saved.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "cli/bundle/facts.h"
#include "cli/bundle/file.h"

namespace rdmaready::bundle {
namespace {

Members RecordingOf(const BundledHost& host) {
  Members files;
  for (const auto& [path, contents] : host.members) {
    if (path.starts_with(kRecording)) files.emplace(path.substr(kRecording.size()), contents);
  }
  return files;
}

// Why a host has nothing that can be judged.
std::string WhyNothing(const Bundle& bundle, const BundledHost& host, const std::string& file) {
  std::string why = host.error;
  for (const LeftOut& one : bundle.left_out) {
    if (one.host == host.name && (one.what == "recording" || one.what == "facts")) why = one.why;
  }
  return fmt::format("host {}: neither its recording nor its facts are in {}{}", host.name, file,
                     why.empty() ? "" : ": " + why);
}

SavedHost OfFacts(const Bundle& bundle, const BundledHost& host, std::string_view json,
                  const std::string& file) {
  absl::StatusOr<Facts> facts = ReadFacts(json);
  SavedHost saved{.name = host.name,
                  .recorded_unix_ns = static_cast<std::int64_t>(bundle.created_unix_ns),
                  .recorded_by = bundle.version};
  if (const auto kept = host.members.find(std::string(kJudgedBy)); kept != host.members.end())
    TakeJudgedBy(kept->second, saved);
  if (facts.ok()) {
    saved.facts = *std::move(facts);
  } else {
    saved.error = fmt::format("read bundle {}: {}/{}: {}", file, host.folder, kFacts, Message(facts.status()));
  }
  return saved;
}

SavedHost SavedOf(const Bundle& bundle, const BundledHost& host, const std::string& file) {
  const Members files = RecordingOf(host);
  const auto facts = host.members.find(std::string(kFacts));
  if (files.empty() && facts != host.members.end()) return OfFacts(bundle, host, facts->second, file);
  if (files.empty()) return {.name = host.name, .error = WhyNothing(bundle, host, file)};
  SavedHost saved = ReplayFiles(files, fmt::format("{}: {}", file, host.folder));
  saved.name = host.name;
  return saved;
}

absl::Status CheckNames(const Bundle& bundle, const std::string& file, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const BundledHost& host : bundle.hosts) known.push_back(host.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return absl::InvalidArgumentError(fmt::format("bundle {} has no host {}: it has {}", file, name,
                                                  SafeLine(fmt::format("{}", fmt::join(known, ", ")), 400)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<SavedHost>> HostsOf(const Bundle& bundle, const std::string& file,
                                               const std::vector<std::string>& names) {
  RR_RETURN_IF_ERROR(CheckNames(bundle, file, names));
  if (bundle.hosts.empty()) return absl::InvalidArgumentError("bundle " + file + ": it has no host");
  std::vector<SavedHost> hosts;
  std::vector<std::string> places;
  for (const BundledHost& host : bundle.hosts) {
    if (!names.empty() && std::ranges::find(names, host.name) == names.end()) continue;
    hosts.push_back(SavedOf(bundle, host, file));
    places.push_back(host.folder);
  }
  if (std::ranges::none_of(hosts, [](const SavedHost& host) { return host.error.empty(); })) {
    return absl::InvalidArgumentError(hosts.front().error);
  }
  NameHostsApart(hosts, places);
  return hosts;
}

absl::StatusOr<std::vector<SavedHost>> LoadBundle(const std::string& file,
                                                  const std::vector<std::string>& names) {
  RR_ASSIGN_OR_RETURN(const std::string bytes, ReadBundleFile(file));
  const absl::StatusOr<Bundle> bundle = Decode(bytes);
  if (!bundle.ok()) return absl::InvalidArgumentError("read bundle " + file + ": " + Message(bundle.status()));
  return HostsOf(*bundle, file, names);
}

}  // namespace rdmaready::bundle
