// SPDX-License-Identifier: Apache-2.0
// Prefix index: which of many addresses are in the subnet of one, without comparing it with each.
#pragma once

#include <array>
#include <bitset>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready {

struct ParsedAddress {
  bool is_ipv4 = false;
  std::array<std::uint8_t, 16> bytes{};  // IPv4 in the first four
  std::size_t prefix_bits = 0;           // at most what the address has

  auto operator<=>(const ParsedAddress&) const = default;
};

// Nothing for what is no address.
std::optional<ParsedAddress> ParseAddress(const std::string& text, unsigned prefix_bits);

// Which lengths the prefixes of some addresses have.
class PrefixLengths {
 public:
  static constexpr std::size_t kMost = 128;

  void Add(const ParsedAddress& address) { by_family_[address.is_ipv4 ? 0 : 1].set(address.prefix_bits); }
  bool Has(bool is_ipv4, std::size_t bits) const { return by_family_[is_ipv4 ? 0 : 1][bits]; }

 private:
  std::array<std::bitset<kMost + 1>, 2> by_family_{};
};

// Two addresses are in one subnet when they agree in as many bits as the one prefix has, or the other.
enum class Agree { kInShorterPrefix, kInLongerPrefix };

// The leading bits of an address.
struct Prefix {
  bool is_ipv4 = false;
  std::size_t bits = 0;
  std::array<std::uint8_t, 16> bytes{};  // 0 behind them

  auto operator<=>(const Prefix&) const = default;
};
Prefix PrefixOf(const ParsedAddress& address, std::size_t bits);

// Addresses by subnet. A Value stands for those that share a prefix.
template <class Value>
class PrefixTable {
 public:
  // `asked` has the lengths of all addresses that Visit will be given.
  PrefixTable(Agree agree, const PrefixLengths& asked) : agree_(agree), asked_(asked) {}

  // Calls enter(Value&) for each prefix under which the address will be found.
  template <class Enter>
  void Add(const ParsedAddress& address, const Enter& enter) {
    own_.Add(address);
    enter(by_own_length_[PrefixOf(address, address.prefix_bits)]);
    for (std::size_t bits = 0; bits <= PrefixLengths::kMost; ++bits) {
      const bool decides =
          agree_ == Agree::kInShorterPrefix ? bits <= address.prefix_bits : bits >= address.prefix_bits;
      if (decides && asked_.Has(address.is_ipv4, bits)) enter(by_asked_length_[PrefixOf(address, bits)]);
    }
  }

  // Calls visit(const Value&) until all addresses in the subnet of this one were among those of a Value, and no
  // other was.
  template <class Visit>
  void ForSubnetOf(const ParsedAddress& address, const Visit& visit) const {
    const auto visit_at = [&visit](const std::map<Prefix, Value>& table, const Prefix& prefix) {
      if (const auto found = table.find(prefix); found != table.end()) visit(found->second);
    };
    visit_at(by_asked_length_, PrefixOf(address, address.prefix_bits));
    for (std::size_t bits = 0; bits <= PrefixLengths::kMost; ++bits) {
      const bool decides =
          agree_ == Agree::kInShorterPrefix ? bits < address.prefix_bits : bits > address.prefix_bits;
      if (decides && own_.Has(address.is_ipv4, bits)) visit_at(by_own_length_, PrefixOf(address, bits));
    }
  }

 private:
  Agree agree_;
  PrefixLengths asked_;
  PrefixLengths own_{};
  std::map<Prefix, Value> by_own_length_{};    // addresses whose own prefix it is
  std::map<Prefix, Value> by_asked_length_{};  // addresses that a prefix of an asked length decides about
};

// The first of several addresses in a subnet, by tag: those of one tag do not count for each other.
class PrefixIndex {
 public:
  PrefixIndex(Agree agree, const PrefixLengths& asked) : table_(agree, asked) {}

  // Its place is the number of those added before it.
  void Add(const ParsedAddress& address, std::string tag);

  // The place of the first address in the subnet of this one that has another tag.
  std::optional<std::size_t> First(const ParsedAddress& address, const std::string& tag) const;

 private:
  struct Firsts {
    std::optional<std::size_t> first{};
    std::optional<std::size_t> other{};  // the first one whose tag is not that of `first`
  };

  PrefixTable<Firsts> table_;
  std::vector<std::string> tags_{};
};

}  // namespace rdmaready
