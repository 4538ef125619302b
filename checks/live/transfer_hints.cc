// SPDX-License-Identifier: Apache-2.0
#include "checks/live/transfer_hints.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string NetdevOf(const TransferPlace& place) {
  return place.netdev.empty() ? "NETDEV" : ShellWord(place.netdev);
}
std::string Peer(const TransferPlace& place) {
  return place.peer_address.empty() ? "ADDRESS" : ShellWord(place.peer_address);
}
std::string PairTest(const TransferPlace& place) {
  return Cat("rdmaready test peer HOST-A ", place.peer_host.empty() ? "HOST-B" : ShellWord(place.peer_host));
}

std::string PeerHost(const TransferPlace& place) {
  return place.peer_host.empty() ? "the peer" : "host " + Printable(place.peer_host);
}

bool IsAboutMemory(const std::string& detail) {
  return detail.find("memory") != std::string::npos || detail.find("Cannot allocate") != std::string::npos ||
         detail.find("reg_mr") != std::string::npos || detail.find("memlock") != std::string::npos;
}

std::string SetupHint(const Failure& failure) {
  if (IsAboutMemory(failure.detail)) {
    return "ulimit -l unlimited  # memory could not be registered; for good: LimitMEMLOCK=infinity in the "
           "service's unit";
  }
  return "ls -l /dev/infiniband && rdma link show  # uverbs and rdma_cm must be there and open to the agent: "
         "modprobe -a "
         "ib_uverbs rdma_ucm";
}

std::string UnreachableHint(const TransferPlace& place) {
  if (place.rung == Rung::kLoopback) {
    return Cat("ip -brief address show dev ", NetdevOf(place),
               "  # the port needs an address, and UDP 4791 (RoCE v2) must not be "
               "filtered");
  }
  if (place.routed) {
    return Cat(
        "ip route get ", Peer(place), " oif ", NetdevOf(place),
        "  # no subnet is common to the two: on this "
        "host and on ",
        PeerHost(place),
        " a route must lead there through the RDMA interface, and routers and firewalls must let UDP 4791 "
        "(RoCE v2) through");
  }
  return Cat("ip neigh show dev ", NetdevOf(place), "; ip route get ", Peer(place), "  # ", PeerHost(place),
             " must answer ARP on the same subnet; the firewall must let UDP 4791 (RoCE v2) through on both");
}

struct FailureWords {
  FailureKind kind;
  std::string_view phrase;
  std::string_view why;  // what it means for storage
};

constexpr FailureWords kFailures[] = {
    {FailureKind::kUnknown, "whether it failed is not told", "A transfer that may have failed proves nothing"},
    {FailureKind::kNone, "no failure", ""},
    {FailureKind::kSetup, "could not be set up",
     "What the test could not get (device, memory, queue pair), a storage service cannot get either"},
    {FailureKind::kRejected, "rejected by the peer",
     "The peer was reached and said no: something else listens there, or two tests met"},
    {FailureKind::kUnreachable, "the peer is not reachable by RDMA",
     "RDMA connections start with address and route resolution: where it fails storage stays on TCP"},
    {FailureKind::kCompletion, "a work request failed",
     "The connection broke under load: retries were used up or the remote side refused the access"},
    {FailureKind::kDisconnected, "the peer closed the connection",
     "A connection that ends by itself makes storage fail over in the middle of its work"},
    {FailureKind::kPeerGone, "the peer's agent went away",
     "Without the other end nothing was proven in either direction"},
    {FailureKind::kStalled, "stalled",
     "Work was posted and did not complete: a link down, or a class that is paused for ever"},
    {FailureKind::kLost, "bytes were lost",
     "RDMA said that the data was delivered, and it was not: no storage can build on that"},
    {FailureKind::kCorrupt, "wrong bytes arrived",
     "Data changed on its way without any error: storage would store the damage"},
    {FailureKind::kCancelled, "cancelled", "The test was given up before it could show anything"},
};

static_assert(std::size(kFailures) == static_cast<std::size_t>(FailureKind::kCancelled) + 1);

FailureWords WordsOf(FailureKind kind) {
  const auto* const row = std::ranges::find(kFailures, kind, &FailureWords::kind);
  return row == std::end(kFailures) ? FailureWords{kind, "failed", ""} : *row;
}

}  // namespace

std::string_view FailurePhrase(FailureKind kind) { return WordsOf(kind).phrase; }

std::string WhyOf(FailureKind kind) { return std::string(WordsOf(kind).why); }

std::string HintFor(const Failure& failure, const TransferPlace& place) {
  const std::string netdev = NetdevOf(place);
  switch (failure.kind) {
    case FailureKind::kNone:
      return "";
    case FailureKind::kSetup:
      return SetupHint(failure);
    case FailureKind::kRejected:
      if (place.routed) return UnreachableHint(place);
      return Cat("rdma resource show cm_id  # on ", PeerHost(place), ": who listens; then run the test again");
    case FailureKind::kUnreachable:
      return UnreachableHint(place);
    case FailureKind::kCompletion:
      return Cat("rdma statistic show; ethtool -S ", netdev,
                 "  # growing retry, sequence or discard counters mean a lossy path: "
                 "check PFC, MTU and the link on both hosts");
    case FailureKind::kDisconnected:
      return Cat("dmesg | tail -n 30; ip -d link show dev ", netdev, "  # also on ", PeerHost(place),
                 ": a link flap, a driver reset, or a killed process");
    case FailureKind::kPeerGone:
      return Cat("rdmaready-agent --listen ADDRESS:7471 --state-dir /var/lib/rdmaready  # on ", PeerHost(place),
                 ", with the options it had; then test again");
    case FailureKind::kStalled:
      return Cat("dcb pfc show dev ", netdev, "; ip -s link show dev ", netdev,
                 "  # growing pause counters: find the slow receiver; "
                 "none: check the link");
    case FailureKind::kLost:
      return Cat("rdma statistic show; ip -s link show dev ", netdev,
                 "  # on both hosts; update NIC firmware and driver, and report "
                 "it to the vendor");
    case FailureKind::kCorrupt:
      return Cat("ethtool -S ", netdev,
                 "; dmesg | tail -n 50  # look for ECC, PCIe (AER) and CRC errors on both hosts; suspect "
                 "memory, PCIe slot, NIC");
    case FailureKind::kUnknown:
    case FailureKind::kCancelled:
      return std::string(GeneralHint(place.rung));
  }
  return "";
}

std::string WhyErrorsCount() {
  return "The bytes arrived, but only because something was sent again, dropped or not received in time: each "
         "time costs milliseconds to seconds. Other traffic of the port counts too";
}

std::string HintForErrors(const TransferPlace& place) {
  const std::string netdev = NetdevOf(place);
  const std::string where = place.rung == Rung::kPeer ? Cat("  # also on ", PeerHost(place)) : "  # here";
  return Cat("rdma statistic show; ethtool -S ", netdev, where,
             ": discards mean PFC, marking or headroom; CRC and symbol errors the cable; neither: the switch");
}

std::string WhyTooSlow() {
  return "The path moves every byte and is slower than the profile asks: storage over it will be, too";
}

std::string HintForThroughput(const TransferPlace& place) {
  return Cat(
      PairTest(place),
      " --no-verify --qps 4  # fast now: a CPU limits one queue pair; else: pcie.*, link.*, pause counters");
}

std::string HintForLatency(const TransferPlace& place) {
  return Cat(
      PairTest(place),
      " --case send-1k --busy-poll  # fast now: waking up takes the time; else: host.governor, the switch");
}

std::string_view GeneralHint(Rung rung) {
  switch (rung) {
    case Rung::kUnknown:
    case Rung::kHost:
      return "rdmaready check";
    case Rung::kLoopback:
      return "rdmaready test loopback  # again, when nothing else tests this port";
    case Rung::kPeer:
      return "rdmaready test peer HOST-A HOST-B  # again, when nothing else tests these ports";
    case Rung::kSmbDirect:
      return "rdmaready test peer HOST-A HOST-B --case send-1k,smbd-send-1k  # is it RDMA itself, or SMB "
             "Direct?";
    case Rung::kServer:
      return "rdmaready probe smb SERVER";
    case Rung::kShare:
      return "rdmaready check --level share --share //SERVER/SHARE --credentials FILE  # again";
  }
  return "rdmaready check";
}

}  // namespace rdmaready
