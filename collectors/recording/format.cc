// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/recording/answer_lines.h"
#include "collectors/recording/applier_file.h"
#include "collectors/recording/json.h"
#include "collectors/recording/paths.h"

namespace rdmaready {
namespace {

using recording::FromText;
using recording::Json;

constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kSchema = "rdmaready.v1.Recording";

absl::Status BadFile(std::string_view file, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", file, why));
}

absl::Status BadFile(std::string_view file, std::size_t line, std::string_view why) {
  return BadFile(fmt::format("{}:{}", file, line), why);
}

std::string Manifest(const Recording& recording, std::size_t files) {
  const Json manifest{
      {"schema", std::string(kSchema)},
      {"format", kRecordingFormat},
      {"host", FromText(recording.host)},
      {"hostname", FromText(recording.hostname)},
      {"kernel", FromText(recording.kernel)},
      {"rdmaready", FromText(recording.rdmaready)},
      {"recorded", UtcText(recording.recorded_unix_ns)},
      {"recorded_unix_ns", recording.recorded_unix_ns},
      {"files", files},
      {"about",
       "What rdmaready asked this host and what the host answered: judge it with "
       "`rdmaready check --facts FOLDER`. It holds names, hardware and IP addresses, and the settings "
       "of network and RDMA devices; no user data, no keys."}};
  return manifest.dump(1) + "\n";
}

struct Listed {
  std::string path{};
  std::string digest{};
};

absl::StatusOr<std::vector<Listed>> DecodeDigests(std::string_view text) {
  std::vector<Listed> listed;
  std::set<std::string> seen;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return BadFile(kDigestsFile, number, "ends in the middle of a line");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::string_view path = line.substr(std::min(line.size(), kDigestDigits + 2));
    if (line.substr(0, kDigestDigits).find_first_not_of("0123456789abcdef") != std::string_view::npos ||
        line.substr(std::min(line.size(), kDigestDigits), 2) != "  " || !recording::IsSafePath(path)) {
      return BadFile(kDigestsFile, number, "not a SHA-256 and a plain path inside of the recording");
    }
    if (number > kMaxRecordingFiles) return BadFile(kDigestsFile, number, "too many files");
    if (!seen.emplace(path).second) return BadFile(kDigestsFile, number, "a file named twice");
    listed.push_back({std::string(path), std::string(line.substr(0, kDigestDigits))});
  }
  return listed;
}

absl::Status CheckDigests(const RecordingFiles& files, const std::vector<Listed>& listed) {
  for (const Listed& one : listed) {
    const auto file = files.find(one.path);
    if (file == files.end()) return BadFile(one.path, "missing");
    RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(file->second));
    if (digest != one.digest) {
      return BadFile(one.path, fmt::format("truncated or changed: not what {} says", kDigestsFile));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ParseManifest(std::string_view text) {
  absl::StatusOr<Json> manifest = recording::ParseObject(text);
  if (!manifest.ok()) return BadFile(kManifestFile, Message(manifest.status()));
  const auto schema = manifest->find("schema");
  if (schema == manifest->end() || !schema->is_string() || schema->get_ref<const std::string&>() != kSchema) {
    return BadFile(kManifestFile, "not the recording of a host by rdmaready");
  }
  const auto format = manifest->find("format");
  if (format == manifest->end() || !format->is_number_unsigned())
    return BadFile(kManifestFile, "no number \"format\"");
  if (const auto number = format->get<std::uint64_t>(); number != kRecordingFormat) {
    return BadFile(kManifestFile, fmt::format("recording format {}, this program knows {}{}", number,
                                              kRecordingFormat, number == 0 ? "" : ": use a newer rdmaready"));
  }
  return manifest;
}

// Nobody was asked: no file, as in older recordings.
void WriteApplier(const Recording& recording, RecordingFiles& files) {
  const Fact<ApplyState>& state = recording.apply_state;
  if (state || state.missing().kind != Missing::Kind::kNotCollected)
    files[std::string(recording::kApplierFile)] = recording::WriteApplier(state);
}

absl::StatusOr<Fact<ApplyState>> ReadApplier(const RecordingFiles& files) {
  const auto file = files.find(std::string(recording::kApplierFile));
  if (file == files.end())
    return Fact<ApplyState>(Missing{Missing::Kind::kNotCollected, "not in the recording"});
  absl::StatusOr<Fact<ApplyState>> state = recording::ReadApplier(file->second);
  return state.ok() ? state : BadFile(recording::kApplierFile, Message(state.status()));
}

// Older recordings have no such file.
absl::StatusOr<std::string> ReadJudgedBy(const RecordingFiles& files) {
  const auto file = files.find(std::string(kJudgedByFile));
  if (file == files.end()) return std::string();
  return file->second.size() <= kMaxJudgedByText ? absl::StatusOr<std::string>(file->second)
                                                 : BadFile(kJudgedByFile, "too large for a recording");
}

// Its own part of the recording, and how many files there are.
absl::Status DecodeManifest(const Json& manifest, Recording& recording, std::size_t& files) {
  recording::Reader reader(manifest);
  for (const char* member : {"schema", "format", "recorded", "about"}) reader.Ignore(member);
  recording.host = reader.Text("host");
  recording.hostname = reader.Text("hostname");
  recording.kernel = reader.Text("kernel");
  recording.rdmaready = reader.Text("rdmaready");
  recording.recorded_unix_ns = reader.Unsigned<std::int64_t>("recorded_unix_ns");
  files = reader.Unsigned<std::size_t>("files");
  const absl::Status status = reader.status();
  return status.ok() ? status : BadFile(kManifestFile, Message(status));
}

}  // namespace

absl::StatusOr<RecordingFiles> EncodeRecording(const Recording& recording) {
  RecordingFiles files;
  recording::WriteAnswers(recording.answers, files);
  WriteApplier(recording, files);
  if (!recording.judged_by.empty()) files[std::string(kJudgedByFile)] = recording.judged_by;
  const std::string manifest(kManifestFile);
  files[manifest] = Manifest(recording, files.size() + 1);
  std::string digests;
  for (const auto& [path, text] : files) {
    RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(text));
    digests += digest + "  " + path + "\n";
  }
  files[std::string(kDigestsFile)] = std::move(digests);
  return files;
}

absl::Status CheckManifest(std::string_view manifest) { return ParseManifest(manifest).status(); }

absl::StatusOr<std::vector<std::string>> ListedFiles(std::string_view digests) {
  RR_ASSIGN_OR_RETURN(std::vector<Listed> listed, DecodeDigests(digests));
  std::vector<std::string> paths;
  paths.reserve(listed.size());
  for (Listed& one : listed) paths.push_back(std::move(one.path));
  return paths;
}

absl::StatusOr<Recording> DecodeRecording(const RecordingFiles& files) {
  const auto manifest_file = files.find(std::string(kManifestFile));
  if (manifest_file == files.end()) return BadFile(kManifestFile, "missing");
  RR_ASSIGN_OR_RETURN(const Json manifest, ParseManifest(manifest_file->second));
  const auto digests = files.find(std::string(kDigestsFile));
  if (digests == files.end()) return BadFile(kDigestsFile, "missing");
  RR_ASSIGN_OR_RETURN(const std::vector<Listed> listed, DecodeDigests(digests->second));
  RR_RETURN_IF_ERROR(CheckDigests(files, listed));

  Recording recording;
  std::size_t count = 0;
  RR_RETURN_IF_ERROR(DecodeManifest(manifest, recording, count));
  if (count != listed.size()) {
    return BadFile(kDigestsFile, fmt::format("truncated: names {} of {} files", listed.size(), count));
  }
  if (files.size() != count + 1) return BadFile(kDigestsFile, "does not name every file");
  RR_RETURN_IF_ERROR(recording::ReadAnswers(files, recording.answers));
  RR_ASSIGN_OR_RETURN(recording.apply_state, ReadApplier(files));
  RR_ASSIGN_OR_RETURN(recording.judged_by, ReadJudgedBy(files));
  return recording;
}

}  // namespace rdmaready
