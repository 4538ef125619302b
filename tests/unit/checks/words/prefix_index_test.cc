// SPDX-License-Identifier: Apache-2.0
// The fast ways against the slow ones: every address with every other.
#include "api/base/prefix_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "checks/catalog.h"
#include "checks/fleet/pairing.h"
#include "checks/words/addresses.h"
#include "checks/words/words.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

bool SameBits(const ParsedAddress& a, const ParsedAddress& b, std::size_t bits) {
  for (std::size_t bit = 0; bit < bits; ++bit) {
    if (((a.bytes[bit / 8] ^ b.bytes[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool InOneSubnet(const ParsedAddress& a, const ParsedAddress& b, Agree agree) {
  const auto [shorter, longer] = std::minmax(a.prefix_bits, b.prefix_bits);
  return a.is_ipv4 == b.is_ipv4 && SameBits(a, b, agree == Agree::kInShorterPrefix ? shorter : longer);
}

// Few bits and many prefixes, so that subnets overlap and addresses meet.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned Below(unsigned limit) { return std::uniform_int_distribution<unsigned>(0, limit - 1)(engine_); }

  IpAddress Address() {
    if (Below(4) == 0)
      return {Cat("fd00::", Below(3), ":", Below(4)), static_cast<std::uint8_t>(108 + Below(21))};
    return {Cat("10.0.", Below(3), ".", 1 + Below(12)), static_cast<std::uint8_t>(20 + Below(13))};
  }

 private:
  std::mt19937 engine_;
};

TEST(PrefixIndex, FindsWhatComparingEachFinds) {
  Dice dice(1);
  for (int round = 0; round < 400; ++round) {
    const Agree agree = round % 2 == 0 ? Agree::kInShorterPrefix : Agree::kInLongerPrefix;
    std::vector<std::pair<ParsedAddress, std::string>> own;
    std::vector<ParsedAddress> asked;
    PrefixLengths lengths;
    for (unsigned n = dice.Below(12); n > 0; --n)
      own.emplace_back(Parsed(dice.Address()), std::string(1, static_cast<char>('a' + dice.Below(3))));
    for (int n = 0; n < 6; ++n) lengths.Add(asked.emplace_back(Parsed(dice.Address())));
    PrefixIndex index(agree, lengths);
    for (const auto& [address, tag] : own) index.Add(address, tag);
    for (const ParsedAddress& address : asked) {
      const auto slow = std::ranges::find_if(own, [&](const auto& entry) {
        return entry.second != "b" && InOneSubnet(entry.first, address, agree);
      });
      const std::optional<std::size_t> fast = index.First(address, "b");
      ASSERT_EQ(fast.has_value(), slow != own.end());
      if (fast) {
        EXPECT_EQ(*fast, static_cast<std::size_t>(slow - own.begin()));
      }
    }
  }
}

// Of some ports some are under one bond; some have no address, and of some nothing is known.
Facts RandomHost(Dice& dice, unsigned most_ports) {
  std::vector<Port> ports;
  for (unsigned i = 0, n = 1 + dice.Below(most_ports); i < n; ++i) {
    Port& port = ports.emplace_back(GoodPort());
    port.device = Cat("rxe", i);
    Netdev netdev = *port.netdev;
    netdev.name = Cat("dcb", i);
    std::vector<IpAddress> addresses;
    for (unsigned k = dice.Below(4); k > 0; --k) addresses.push_back(dice.Address());
    netdev.addresses = addresses;
    if (dice.Below(8) == 0) netdev.addresses = Denied();
    port.netdev = netdev;
    if (dice.Below(3) == 0) {
      port.uppers =
          std::vector<UpperNetdev>{{.name = "bond0",
                                    .kind = "bond",
                                    .addresses = std::vector<IpAddress>{{"10.0.9.9", 24}, dice.Address()}}};
    }
    if (dice.Below(4) == 0) port.transport = Transport::kIwarp;
    if (dice.Below(10) == 0) port.transport = Denied();
  }
  Facts host = GoodHost();
  host.ports = ports;
  return host;
}

// What ip.subnets says of the port, found out by comparing each address with each.
std::string SlowClash(const std::vector<Port>& ports, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    for (const PlacedAddress& theirs : AddressesOf(ports[j])) {
      for (const PlacedAddress& ours : AddressesOf(ports[i])) {
        const bool clash = InOneSubnet(Parsed(ours.ip), Parsed(theirs.ip), Agree::kInShorterPrefix);
        if (ours.netdev != theirs.netdev && clash)
          return Cat(ours.ip.address, "/", ours.ip.prefix_length, " is in the subnet of ", PortName(ports[j]));
      }
    }
  }
  return "";
}

TEST(IpSubnets, SaysWhatComparingEachAddressSays) {
  const Check& check = *FindCheck("ip.subnets");
  Dice dice(2);
  unsigned clashes = 0;
  for (int round = 0; round < 300; ++round) {
    const Facts host = RandomHost(dice, 6);
    const std::vector<Verdict> verdicts =
        std::get<JudgeAmongPorts>(check.judge)(HostView{host, VirtualFabricProfile()});
    ASSERT_EQ(verdicts.size(), host.ports->size());
    if (verdicts.size() == 1) {
      EXPECT_EQ(verdicts[0].outcome, Outcome::kNotApplicable);
      continue;
    }
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      if (verdicts[i].outcome == Outcome::kUnknown) continue;
      const std::string slow = SlowClash(*host.ports, i);
      EXPECT_EQ(verdicts[i].outcome, slow.empty() ? Outcome::kPass : Outcome::kFail);
      if (!slow.empty()) {
        EXPECT_EQ(verdicts[i].observed, slow);
      }
      clashes += slow.empty() ? 0U : 1U;
    }
  }
  EXPECT_GT(clashes, 100U);
}

using Addresses = std::pair<std::string, std::string>;

// The first two addresses by which two ports can be tested, or none. IPv4 goes first.
std::optional<Addresses> SlowCommon(const Port& a, const Port& b) {
  if (!a.transport || !b.transport || *a.transport != *b.transport) return std::nullopt;
  for (const auto& [a_ipv4, b_ipv4] : {std::pair(true, true), std::pair(false, false)}) {
    for (const PlacedAddress& from : AddressesOf(a)) {
      const ParsedAddress x = Parsed(from.ip);
      for (const PlacedAddress& to : AddressesOf(b)) {
        const ParsedAddress y = Parsed(to.ip);
        if (x.is_ipv4 != a_ipv4 || y.is_ipv4 != b_ipv4 || x.bytes == y.bytes) continue;
        if (InOneSubnet(x, y, Agree::kInLongerPrefix)) return Addresses(from.ip.address, to.ip.address);
      }
    }
  }
  return std::nullopt;
}

// A largest set of pairs, the first ports first (Kuhn).
class SlowMatching {
 public:
  SlowMatching(const std::vector<Port>& a, const std::vector<Port>& b)
      : a_(a), b_(b), partner_(b.size(), kNone) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      seen_.assign(b.size(), false);
      size_ += Find(i) ? 1U : 0U;
    }
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool Find(std::size_t i) {
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (seen_[j] || !SlowCommon(a_[i], b_[j])) continue;
      seen_[j] = true;
      if (partner_[j] != kNone && !Find(partner_[j])) continue;
      partner_[j] = i;
      return true;
    }
    return false;
  }

  const std::vector<Port>& a_;
  const std::vector<Port>& b_;
  std::vector<std::size_t> partner_;
  std::vector<bool> seen_{};
  std::size_t size_ = 0;
};

TEST(PairPorts, PairsWhatComparingEachAddressPairs) {
  Dice dice(3);
  std::size_t pairs = 0;
  for (int round = 0; round < 300; ++round) {
    const Facts a = RandomHost(dice, 5);
    const Facts b = RandomHost(dice, 5);
    const Pairing pairing = PairPorts(a, b);
    std::vector<bool> a_paired(a.ports->size());
    std::vector<bool> b_paired(b.ports->size());
    for (const PortPair& pair : pairing.pairs) {
      EXPECT_EQ(SlowCommon((*a.ports)[pair.a_port], (*b.ports)[pair.b_port]),
                Addresses(pair.a_address, pair.b_address));
      a_paired[pair.a_port] = b_paired[pair.b_port] = true;
    }
    // Who has a partner at all is paired, and as many as possible have one of their own.
    for (std::size_t i = 0; i < a_paired.size(); ++i) {
      const bool possible = std::ranges::any_of(
          *b.ports, [&](const Port& y) { return SlowCommon((*a.ports)[i], y).has_value(); });
      EXPECT_EQ(a_paired[i], possible);
    }
    for (std::size_t j = 0; j < b_paired.size(); ++j) {
      const bool possible = std::ranges::any_of(
          *a.ports, [&](const Port& x) { return SlowCommon(x, (*b.ports)[j]).has_value(); });
      EXPECT_EQ(b_paired[j], possible);
    }
    EXPECT_GE(pairing.pairs.size(), SlowMatching(*a.ports, *b.ports).size());
    pairs += pairing.pairs.size();
  }
  EXPECT_GT(pairs, 300U);
}

}  // namespace
}  // namespace rdmaready
