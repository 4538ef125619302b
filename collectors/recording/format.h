// SPDX-License-Identifier: Apache-2.0
// The format of a recording: files, by their relative paths, in one folder for each host. To be read with less:
//
//   recording.json   what this is, of which host, made when and by which version
//   SHA256SUMS       of every other file; `sha256sum -c SHA256SUMS` checks it too
//   files.jsonl      what was read, listed and followed as files, and the errors; one question a line
//   files/...        what the files held, at their own paths
//   netlink.jsonl    questions and answers, payloads in hexadecimal; also ethtool.jsonl, verbs.jsonl,
//   rdma_cm.jsonl, limits.jsonl
//   lldp.jsonl       LLDP frames, where they were listened for
//   dcb_notices.jsonl  writes of DCB settings, where they were listened for
//   mads.jsonl       questions to InfiniBand management agents, where there are any
//   lldpad.jsonl     messages to lldpad and its answers, where it runs
//   modes.jsonl      permissions of files
//   applier.json     what the applier said of its changes; older recordings have none
//   judged_by.json   by which profiles and waivers the host was judged (api/profile/judged_by.h); older
//   recordings
//                    have none
//   lines.jsonl      lines that were looked for in files of which nothing else was kept; devices.jsonl: limits
//   of RDMA
//                    devices. Older recordings have none of these three
//
// A line has the question's members, then its answer's or "error", and "times" when the same answer came
// several times in a row. Lines of one question are in the order of its answers. "shows" and "what" are for
// people. Pure: bytes in, values out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/recording/recording.h"

namespace rdmaready {

using RecordingFiles = std::map<std::string, std::string>;  // contents by relative path

inline constexpr std::string_view kManifestFile = "recording.json";
inline constexpr std::string_view kDigestsFile = "SHA256SUMS";
inline constexpr std::string_view kJudgedByFile = "judged_by.json";
inline constexpr int kRecordingFormat = 1;  // grows when an older program cannot read a newer recording

// What a loader may meet at most.
inline constexpr std::size_t kMaxRecordingFiles = 20'000;
inline constexpr std::size_t kMaxRecordingFolderBytes = 3 * kMaxRecordingBytes;  // hexadecimal doubles

// An error only when libcrypto refuses.
absl::StatusOr<RecordingFiles> EncodeRecording(const Recording& recording);

// The names that the digests list: relative, without "." or "..", of letters that need no quoting.
// kInvalidArgument with file and line otherwise.
absl::StatusOr<std::vector<std::string>> ListedFiles(std::string_view digests);

// kInvalidArgument naming the file, and the line where there is one: no recording, of a newer format, damaged
// (a digest differs, a file is missing), or of no sense. Whatever the bytes are, it neither throws nor takes
// more than a few times their memory.
absl::StatusOr<Recording> DecodeRecording(const RecordingFiles& files);

// Of the manifest alone: is it one, and of a format that this program knows?
absl::Status CheckManifest(std::string_view manifest);

}  // namespace rdmaready
