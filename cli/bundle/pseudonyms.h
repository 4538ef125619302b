// SPDX-License-Identifier: Apache-2.0
// Pseudonyms: what names and addresses are called in a bundle for strangers. One key, which is in no bundle,
// gives each name the same pseudonym everywhere, and two addresses pseudonyms with as many first bits in common
// as they have: a subnet stays one. What is the same for everybody stays: loopback, multicast, unspecified,
// link-local and mapped prefixes; of an IPv4 address the first octet (two of 100, 169, 172, 192 and 198, whose
// parts have meanings), of an IPv6 address the first two, of a MAC address and a GUID the vendor's three. An
// address made of a MAC address stays one of its pseudonym.
//
// A value: methods are pure, and may be called from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace rdmaready::bundle {

class Pseudonyms {
 public:
  using Bytes16 = std::array<std::uint8_t, 16>;

  // `key` is random, and kept by nobody.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}
  // kInternal: the kernel gives no random bytes.
  static absl::StatusOr<Pseudonyms> Make();

  // Of any text: "KIND-" and twelve hexadecimal digits; empty for empty.
  std::string Word(std::string_view kind, std::string_view text) const;
  // Of a network or RDMA device. Names as the kernel and systemd make them of slots and numbers, "ens1f0np0",
  // "mlx5_0", stay; others are pseudonyms that are as short as a device's name must be.
  std::string Device(std::string_view name) const;
  // 32 hexadecimal digits, as a machine-id has.
  std::string MachineId(std::string_view text) const;

  // Of text as addresses are written, with a prefix length or without. What is none gives a word.
  std::string Address(std::string_view text) const;
  std::string Mac(std::string_view text) const;
  // An address of any kind, else a word: what LLDP calls an id.
  std::string Any(std::string_view text) const;
  // In the words of `ip rule`: addresses and names of devices are replaced, its own words and numbers stay.
  std::string Rule(std::string_view text) const;
  // Folders and names of a fixed list stay, each other part of the path becomes a word.
  std::string Path(std::string_view path) const;

  std::uint64_t Guid(std::uint64_t guid) const;
  // The GID of an InfiniBand or iWARP port when `of_guid`, else one that stands for an IP address.
  Bytes16 Gid(const Bytes16& raw, bool of_guid) const;

 private:
  using Octets6 = std::array<std::uint8_t, 6>;

  // The first bytes of a digest of key, kind and text.
  std::uint64_t Number(std::string_view kind, std::string_view text) const;
  // Changes the bits behind the first `kept` ones of the `bits` first ones: each by what stands before it.
  void Flip(std::string_view kind, std::uint8_t* bytes, std::size_t kept, std::size_t bits) const;
  void FlipIpv4(std::uint8_t* bytes) const;
  Bytes16 Ipv6(Bytes16 bytes) const;
  Octets6 MacBytes(Octets6 mac) const;
  std::uint32_t VendorNumber(std::uint32_t vendor, std::uint32_t number) const;

  std::string key_;
};

}  // namespace rdmaready::bundle
