// SPDX-License-Identifier: Apache-2.0
// An NBFT of the NVM Express Boot Specification 1.0: two ports that lead to one subsystem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace rdmaready::nbft {

inline void Put(std::string& table, std::size_t at, std::uint32_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) table[at + i] = static_cast<char>(number >> 8 * i & 0xffU);
}
inline void PutBytes(std::string& table, std::size_t at, std::initializer_list<int> bytes) {
  for (const int byte : bytes) table[at++] = static_cast<char>(byte);
}

// With the checksum of the header right.
inline std::string WithSum(std::string table) {
  table[9] = 0;
  unsigned sum = 0;
  for (const char byte : table) sum += static_cast<unsigned char>(byte);
  table[9] = static_cast<char>((0x100U - (sum & 0xffU)) & 0xffU);
  return table;
}

// The structures and where they are: header 0, control 64, two host interfaces 128, one subsystem 192, and what
// they refer to, the heap, 320.
inline std::string Table() {
  constexpr std::size_t kControl = 64;
  constexpr std::size_t kInterfaces = 128;
  constexpr std::size_t kSubsystem = 192;
  constexpr std::size_t kHeap = 320;
  constexpr std::size_t kTransportBytes = 128;
  const std::string name = "nqn.2014-08.org.example:disk";
  const std::size_t more = kHeap + 2 * kTransportBytes;  // the number of the second interface
  const std::size_t name_at = more + 1;
  std::string table(name_at + name.size() + 1, '\0');
  table.replace(0, 4, "NBFT");
  Put(table, 4, static_cast<std::uint32_t>(table.size()), 4);
  table[8] = 1;
  Put(table, 36, kHeap, 4);
  Put(table, 40, static_cast<std::uint32_t>(table.size() - kHeap), 4);

  table[kControl] = 1;
  table[kControl + 1] = 1;
  table[kControl + 6] = 1;
  Put(table, kControl + 16, kInterfaces, 4);
  Put(table, kControl + 20, 32, 2);
  table[kControl + 23] = 2;
  Put(table, kControl + 24, kSubsystem, 4);
  Put(table, kControl + 28, 128, 2);
  table[kControl + 31] = 1;

  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::size_t interface = kInterfaces + 32 * i;
    const std::size_t transport = kHeap + kTransportBytes * i;
    PutBytes(table, interface, {3, static_cast<int>(i) + 1, 1, 3});
    Put(table, interface + 16, static_cast<std::uint32_t>(transport), 4);
    Put(table, interface + 20, kTransportBytes, 2);
    PutBytes(table, transport, {7, 1, 3, 1, static_cast<int>(i) + 1, 0, 1});
    PutBytes(table, transport + 11, {2, 0, 0, 0, 0, static_cast<int>(i) + 1});
  }
  PutBytes(table, kHeap + 20, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1});
  PutBytes(table, kHeap + kTransportBytes + 20, {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});

  PutBytes(table, kSubsystem, {4, 1, 0, 1, 0, 3});
  table[kSubsystem + 46] = 1;
  Put(table, kSubsystem + 48, static_cast<std::uint32_t>(more), 4);
  Put(table, kSubsystem + 52, 1, 2);
  table[more] = 2;
  Put(table, kSubsystem + 54, static_cast<std::uint32_t>(name_at), 4);
  Put(table, kSubsystem + 58, static_cast<std::uint32_t>(name.size()), 2);
  table.replace(name_at, name.size(), name);
  return WithSum(table);
}

}  // namespace rdmaready::nbft
