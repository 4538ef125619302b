// SPDX-License-Identifier: Apache-2.0
// LLDP frames written by hand, independently of the code under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace rdmaready::lldp_wire {

using Bytes = std::vector<std::byte>;

inline Bytes Raw(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

inline Bytes Text(std::string_view text) {
  Bytes bytes;
  for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
  return bytes;
}

inline Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// A length that lies is for tests of lies.
inline Bytes Tlv(int type, const Bytes& value, int length = -1) {
  const int bytes = length < 0 ? static_cast<int>(value.size()) : length;
  return Raw({type << 1 | bytes >> 8, bytes & 0xff}) + value;
}

inline Bytes Of8021(int subtype, const Bytes& value) {
  return Tlv(127, Raw({0x00, 0x80, 0xc2, subtype}) + value);
}
inline Bytes Of8023(int subtype, const Bytes& value) {
  return Tlv(127, Raw({0x00, 0x12, 0x0f, subtype}) + value);
}
inline Bytes OfCee(int subtype, const Bytes& value) {
  return Tlv(127, Raw({0x00, 0x1b, 0x21, subtype}) + value);
}

// From 02:00:00:00:00:01 to the nearest bridge.
inline Bytes Header(int ether_type = 0x88cc) {
  return Raw({0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e, 0x02, 0, 0, 0, 0, 0x01, ether_type >> 8, ether_type & 0xff});
}

inline Bytes Chassis(int last_octet = 1) { return Tlv(1, Raw({4, 0x02, 0, 0, 0, 0, last_octet})); }
inline Bytes Port(std::string_view name = "Ethernet1/1") { return Tlv(2, Raw({5}) + Text(name)); }
inline Bytes Ttl(int seconds = 120) { return Tlv(3, Raw({seconds >> 8, seconds & 0xff})); }
inline Bytes End() { return Tlv(0, {}); }

// The three that have to be there, then `rest`, then the end.
inline Bytes Frame(const Bytes& rest) { return Header() + Chassis() + Port() + Ttl() + rest + End(); }

// Where `rest` of a Frame begins.
inline constexpr std::size_t kRestAt = 14 + 9 + 14 + 4;

// Two classes of 50 %, priority 3 in class 1; not willing, 8 classes.
inline Bytes EtsTables() {
  return Raw({0x00, 0x01, 0x00, 0x00}) + Raw({50, 50, 0, 0, 0, 0, 0, 0}) + Raw({2, 2, 0, 0, 0, 0, 0, 0});
}
inline Bytes EtsConfiguration(int head = 0x00) { return Of8021(9, Raw({head}) + EtsTables()); }
inline Bytes EtsRecommendation() { return Of8021(10, Raw({0}) + EtsTables()); }
inline Bytes Pfc(int head = 0x08, int enabled = 0x08) { return Of8021(11, Raw({head, enabled})); }
// UDP 4791 and DSCP 26, both to priority 3.
inline Bytes App() { return Of8021(12, Raw({0, 3 << 5 | 3, 0x12, 0xb7, 3 << 5 | 5, 0, 26})); }

inline Bytes CeeControl() { return Tlv(1, Raw({0, 0, 0, 0, 0, 7, 0, 0, 0, 6})); }
inline Bytes CeeGroups() {
  return Tlv(2,
             Raw({0, 0, 0xc0, 0}) + Raw({0x00, 0x01, 0x00, 0x0f}) + Raw({50, 50, 0, 0, 0, 0, 0, 0}) + Raw({8}));
}
inline Bytes CeePfc() { return Tlv(3, Raw({0, 0, 0x80, 0, 0x08, 8})); }
inline Bytes CeeApp() {
  return Tlv(4, Raw({0, 0, 0xa0, 0}) + Raw({0x89, 0x06, 0x00, 0x1b, 0x21, 0x08}) +
                    Raw({0x0c, 0xbc, 0x01, 0x1b, 0x21, 0x10}));
}
inline Bytes Cee() { return OfCee(2, CeeControl() + CeeGroups() + CeePfc() + CeeApp()); }

// Of every kind that is decoded.
inline Bytes FullFrame() {
  return Frame(Tlv(4, Text("to storage1")) + Tlv(5, Text("leaf1")) + Tlv(6, Text("a switch")) +
               Tlv(7, Raw({0x00, 0x14, 0x00, 0x04})) +
               Tlv(8, Raw({5, 1, 10, 0, 0, 1, 2, 0, 0, 0x03, 0xe9, 0})) +  // IPv4, ifIndex 1001, no OID
               Of8021(1, Raw({0x02, 0xc7})) + Of8021(3, Raw({0x02, 0xc7, 7}) + Text("storage")) +
               Of8021(7, Raw({3, 0, 0, 0, 9})) + Of8021(8, Raw({0x08, 0x04})) + EtsConfiguration() +
               EtsRecommendation() + Pfc() + App() + Of8023(1, Raw({3, 0x6c, 0x11, 0x00, 0x1e})) +
               Of8023(4, Raw({0x24, 0x00})) + Cee() + OfCee(1, {}));
}

inline Bytes OfHex(std::string_view hex) {
  const auto digit = [](char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; };
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  return bytes;
}

// What lldpad 1.1 of Debian 12 sent in a guest of the virtual fabric: two ETS classes of 50 %, PFC on 3 and 4
// and willing, DSCP 26 to priority 3.
inline Bytes LldpadFrame() {
  return OfHex(
      "0180c200000e52540000010288cc020704525400000102040703525400000102060200780a06677565737432fe0900120f01"
      "0000010000fe0600120f04233afe190080c209000001000032320000000000000202000000000000fe190080c20a00000100"
      "0032320000000000000202000000000000fe060080c20b8818fe080080c20c0065001a0000");
}

}  // namespace rdmaready::lldp_wire
