// SPDX-License-Identifier: Apache-2.0
// Tar, as much of it as a bundle is made of: POSIX ustar, plain files, one order. What is written is the same
// for the same members; what is read may be hostile, and everything that a bundle does not need is refused.
// Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready::bundle {

using Members = std::map<std::string, std::string>;  // contents by path

inline constexpr std::size_t kMaxMembers = 60'000;
inline constexpr std::size_t kMaxTarBytes = std::size_t{256} << 20;  // unpacked, its headers with it

// What a member takes in a tar: its header, and its contents in whole blocks.
std::size_t TarBytesOf(std::size_t contents_bytes);
// The blocks behind the last member.
inline constexpr std::size_t kTarEndBytes = 1024;

// Is there room for the path in a header?
bool FitsHeader(std::string_view path);

// In the order of their paths, `first` before all others; owner root, mode 0600, time 0. kInvalidArgument: a
// path that does not fit.
absl::StatusOr<std::string> WriteTar(const Members& members, std::string_view first);

// kInvalidArgument in one line that names the member: a link, a folder, a special file, an extended header, a
// path that leads anywhere else (recording::IsSafePath) or comes twice, a damaged header, an end too soon, or
// more than the bounds above. Takes no more memory than twice the tar.
absl::StatusOr<Members> ReadTar(std::string_view tar);

// gzip, the same bytes for the same input. kInternal.
absl::StatusOr<std::string> Gzip(std::string_view bytes);
bool IsGzip(std::string_view bytes);
// kInvalidArgument: damaged, or more than `most_bytes` unpacked.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, std::size_t most_bytes = kMaxTarBytes);

}  // namespace rdmaready::bundle
