// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/recording/paths.h"

namespace rdmaready::bundle {
namespace {

constexpr std::size_t kBlock = 512;

// struct posix_header of ustar; every byte is a character.
struct Header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device_major[8];
  char device_minor[8];
  char prefix[155];
  char padding[12];
};
static_assert(sizeof(Header) == kBlock);

constexpr std::string_view kMagic{"ustar\0", 6};

template <std::size_t Size>
void Put(char (&field)[Size], std::string_view text) {
  text.copy(&field[0], Size);
}

template <std::size_t Size>
void PutOctal(char (&field)[Size], std::uint64_t number) {
  Put(field, fmt::format("{:0{}o}", number, Size - 1));
}

template <std::size_t Size>
std::string_view Get(const char (&field)[Size]) {
  const std::string_view text(&field[0], Size);
  return text.substr(0, text.find('\0'));
}

// Digits, then nothing but blanks and zeros; an empty field is no number.
template <std::size_t Size>
std::optional<std::uint64_t> GetOctal(const char (&field)[Size]) {
  std::string_view text = Get(field);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    number = number * 8 + static_cast<std::uint64_t>(digit - '0');  // eleven digits at most
  }
  return number;
}

// The sum of all bytes, those of the sum itself as blanks.
std::uint64_t SumOf(Header header) {
  std::ranges::fill(header.checksum, ' ');
  std::array<unsigned char, kBlock> bytes{};
  std::memcpy(bytes.data(), &header, kBlock);
  std::uint64_t sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum;
}

// Where the path is divided between prefix and name: the length of the prefix, 0 without one.
std::optional<std::size_t> PrefixOf(std::string_view path) {
  if (path.size() <= sizeof(Header::name)) return 0;
  const std::size_t first = path.size() - sizeof(Header::name) - 1;
  const std::size_t slash = path.find('/', first);
  if (slash == std::string_view::npos || slash == 0 || slash > sizeof(Header::prefix)) return std::nullopt;
  return slash;
}

std::size_t InBlocks(std::size_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

absl::Status AddMember(const std::string& path, std::string_view contents, std::string& tar) {
  const std::optional<std::size_t> prefix = PrefixOf(path);
  if (!prefix) return absl::InvalidArgumentError(SafeLine(path, 120) + ": too long a path for a bundle");
  Header header{};
  Put(header.name, std::string_view(path).substr(*prefix == 0 ? 0 : *prefix + 1));
  Put(header.prefix, std::string_view(path).substr(0, *prefix));
  PutOctal(header.mode, 0600);
  PutOctal(header.uid, 0);
  PutOctal(header.gid, 0);
  PutOctal(header.size, contents.size());
  PutOctal(header.mtime, 0);
  header.type = '0';
  Put(header.magic, kMagic);
  Put(header.version, "00");
  Put(header.user, "root");
  Put(header.group, "root");
  PutOctal(header.device_major, 0);
  PutOctal(header.device_minor, 0);
  Put(header.checksum, fmt::format("{:06o}", SumOf(header)) + std::string("\0 ", 2));
  tar.append(reinterpret_cast<const char*>(&header), kBlock);
  tar += contents;
  tar.append(InBlocks(contents.size()) - contents.size(), '\0');
  return absl::OkStatus();
}

absl::Status Refused(std::string_view path, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", SafeLine(path, 120), why));
}

// What a type of member is, other than a plain file.
std::string_view TypeText(char type) {
  switch (type) {
    case '1':
    case '2':
      return "a link: refused";
    case '5':
      return "a folder: refused, a bundle has plain files only";
    case 'x':
    case 'g':
    case 'L':
    case 'K':
      return "an extended header: refused, a bundle has none";
    default:
      return "no plain file: refused";
  }
}

struct Entry {
  std::string path{};
  std::size_t bytes = 0;
};

absl::StatusOr<Entry> ReadHeader(std::string_view block, std::size_t at) {
  Header header{};
  std::memcpy(&header, block.data(), kBlock);
  const std::string where = fmt::format("header at byte {}", at);
  if (std::string_view(&header.magic[0], sizeof(header.magic)) != kMagic)
    return Refused(where, "no tar of a bundle");
  const std::optional<std::uint64_t> sum = GetOctal(header.checksum);
  if (!sum || *sum != SumOf(header)) return Refused(where, "damaged: its checksum differs");
  Entry entry{.path = std::string(Get(header.name))};
  if (header.prefix[0] != '\0') entry.path = fmt::format("{}/{}", Get(header.prefix), entry.path);
  if (header.type != '0' && header.type != '\0') return Refused(entry.path, TypeText(header.type));
  if (header.link[0] != '\0') return Refused(entry.path, "a link: refused");
  if (entry.path.starts_with('/')) return Refused(entry.path, "an absolute path: refused");
  if (!recording::IsSafePath(entry.path)) return Refused(entry.path, "no path of a bundle: refused");
  const std::optional<std::uint64_t> size = GetOctal(header.size);
  if (!size) return Refused(entry.path, "damaged: its size is no number");
  entry.bytes = *size;
  return entry;
}

bool IsZero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) { return byte == '\0'; });
}

}  // namespace

std::size_t TarBytesOf(std::size_t contents_bytes) { return kBlock + InBlocks(contents_bytes); }

bool FitsHeader(std::string_view path) { return PrefixOf(path).has_value(); }

absl::StatusOr<std::string> WriteTar(const Members& members, std::string_view first) {
  std::string tar;
  if (const auto head = members.find(std::string(first)); head != members.end()) {
    RR_RETURN_IF_ERROR(AddMember(head->first, head->second, tar));
  }
  for (const auto& [path, contents] : members) {
    if (path != first) RR_RETURN_IF_ERROR(AddMember(path, contents, tar));
  }
  tar.append(kTarEndBytes, '\0');
  return tar;
}

absl::StatusOr<Members> ReadTar(std::string_view tar) {
  if (tar.size() > kMaxTarBytes) {
    return absl::InvalidArgumentError(fmt::format("more than {} MiB unpacked", kMaxTarBytes >> 20));
  }
  Members members;
  std::size_t at = 0;
  for (;;) {
    if (tar.size() - at < kBlock) return absl::InvalidArgumentError("ends too soon");
    const std::string_view block = tar.substr(at, kBlock);
    if (IsZero(block)) break;
    RR_ASSIGN_OR_RETURN(Entry entry, ReadHeader(block, at));
    at += kBlock;
    if (entry.bytes > tar.size() - at || InBlocks(entry.bytes) > tar.size() - at) {
      return Refused(entry.path, "ends too soon");
    }
    if (members.size() == kMaxMembers)
      return absl::InvalidArgumentError(fmt::format("more than {} members", kMaxMembers));
    const std::string shown = entry.path;
    if (!members.try_emplace(std::move(entry.path), tar.substr(at, entry.bytes)).second) {
      return Refused(shown, "named twice");
    }
    at += InBlocks(entry.bytes);
  }
  if (!IsZero(tar.substr(at))) return absl::InvalidArgumentError("something stands behind its end");
  return members;
}

}  // namespace rdmaready::bundle
