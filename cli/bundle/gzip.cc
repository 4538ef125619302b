// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cli/bundle/tar.h"

namespace rdmaready::bundle {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with a header and a sum of gzip
constexpr int kLevel = 6;
constexpr int kMemory = 8;

// zlib only reads from there.
Bytef* Input(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

// Both ends release what zlib holds.
struct Packing {
  z_stream stream{};
  ~Packing() { ::deflateEnd(&stream); }
};
struct Unpacking {
  z_stream stream{};
  ~Unpacking() { ::inflateEnd(&stream); }
};

constexpr std::size_t kMostInput = std::numeric_limits<uInt>::max();

}  // namespace

// The header is zlib's own: no name, time 0.
absl::StatusOr<std::string> Gzip(std::string_view bytes) {
  if (bytes.size() > kMostInput) return absl::InternalError("too much to compress");
  Packing packing;
  z_stream& stream = packing.stream;
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return absl::InternalError("zlib cannot compress");
  }
  stream.next_in = Input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string packed;
  std::array<Bytef, 65536> buffer;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = ::deflate(&stream, Z_FINISH);
    packed.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
  }
  if (state != Z_STREAM_END) return absl::InternalError("zlib cannot compress");
  return packed;
}

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

absl::StatusOr<std::string> Gunzip(std::string_view bytes, std::size_t most_bytes) {
  if (bytes.size() > kMostInput) return absl::InvalidArgumentError("too large");
  Unpacking unpacking;
  z_stream& stream = unpacking.stream;
  if (::inflateInit2(&stream, kGzipWindow) != Z_OK) return absl::InternalError("zlib cannot unpack");
  stream.next_in = Input(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string unpacked;
  std::array<Bytef, 65536> buffer;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = buffer.size() - stream.avail_out;
    if (made > most_bytes - unpacked.size()) {
      return absl::InvalidArgumentError(fmt::format("more than {} MiB unpacked", most_bytes >> 20));
    }
    unpacked.append(reinterpret_cast<const char*>(buffer.data()), made);
  }
  if (state != Z_STREAM_END) return absl::InvalidArgumentError("damaged: gzip does not end as it should");
  if (stream.avail_in != 0) return absl::InvalidArgumentError("something stands behind the end of gzip");
  return unpacked;
}

}  // namespace rdmaready::bundle
