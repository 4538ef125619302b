// SPDX-License-Identifier: Apache-2.0
// Bundle: what is known of some hosts, in one file that can be judged elsewhere. A tar (tar.h):
//
//   manifest.json                 what this is, which hosts, what was left out and why; size and SHA-256 of
//   each member hosts/NAME/recording/...      a recording (collectors/recording/format.h): unpacked, a folder
//   for `check --facts` hosts/NAME/facts.json         instead of it under pseudonyms: protobuf's JSON of
//   rdmaready.v1.Facts hosts/NAME/judged_by.json     beside it: by which profiles (api/profile/judged_by.h),
//   which else the recording keeps hosts/NAME/report.json        what the agent found: the JSON of `check`
//   hosts/NAME/history.json       what it remembers: the JSON of `history`
//   hosts/NAME/events.json        the last lines of its log
//
// Pure: values in, bytes out, and back. The same bundle gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/bundle/tar.h"

namespace rdmaready::bundle {

inline constexpr std::string_view kManifest = "manifest.json";
inline constexpr std::string_view kSchema = "rdmaready.v1.Bundle";
inline constexpr std::uint32_t kFormat = 2;  // grows when an older program cannot read a newer bundle
inline constexpr std::uint32_t kFormatWithoutProfiles = 1;  // of a bundle without kJudgedBy; still written

inline constexpr std::string_view kRecording = "recording/";  // the members of a host, below its folder
inline constexpr std::string_view kFacts = "facts.json";
inline constexpr std::string_view kJudgedBy = "judged_by.json";
inline constexpr std::string_view kReport = "report.json";
inline constexpr std::string_view kHistory = "history.json";
inline constexpr std::string_view kEvents = "events.json";

struct Versioned {
  std::string what{};  // "agent", "kernel", "mlx5_0 firmware"
  std::string version{};
  bool operator==(const Versioned&) const = default;
};

struct BundledHost {
  std::string name{};    // as the caller named it
  std::string folder{};  // below hosts/, of one part; empty: Encode makes it of the name
  std::string error{};   // why there is not all of it; empty when there is
  std::vector<Versioned> versions{};
  Members members{};  // by their paths below the folder
  bool operator==(const BundledHost&) const = default;
};

struct LeftOut {
  std::string host{};
  std::string what{};  // "events", "history", "report", "profiles", "recording"
  std::string why{};
  bool operator==(const LeftOut&) const = default;
};

struct Bundle {
  std::string version{};  // of rdmaready that made it
  std::uint64_t created_unix_ns = 0;
  bool pseudonyms = false;
  std::vector<BundledHost> hosts{};
  std::vector<LeftOut> left_out{};
  bool operator==(const Bundle&) const = default;
};

struct EncodedBundle {
  std::string tar{};
  std::vector<LeftOut> left_out{};  // with what did not fit
};

// At most `most_bytes` of tar. What does not fit is left out, and named: first the events of the last host,
// then those of the one before it, ..., then each one's history, report, facts and recording.
// kResourceExhausted: not even the manifest fits.
absl::StatusOr<EncodedBundle> Encode(Bundle bundle, std::size_t most_bytes);

// Of the bytes of a file, compressed or not. kInvalidArgument in one line: what ReadTar and Gunzip refuse, no
// manifest, one of a newer format, a member that it does not name or names otherwise, a member that is not
// there.
absl::StatusOr<Bundle> Decode(std::string_view bytes);

}  // namespace rdmaready::bundle
