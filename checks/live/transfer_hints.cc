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
std::string HostWord(const std::string& host, std::string_view otherwise) {
  return host.empty() ? std::string(otherwise) : ShellWord(host);
}

std::string PeerHost(const TransferPlace& place) {
  return place.peer_host.empty() ? "the peer" : "host " + Printable(place.peer_host);
}

Fix SetupHint(const Failure& failure) {
  if (IsAboutMemory(failure)) {
    return Fix("ulimit -l unlimited")
        .Because("memory could not be registered: the limit of locked memory is too low")
        .Caution("the command holds for programs that this shell starts")
        .Do("for good: LimitMEMLOCK=infinity in the service's unit")
        .CheckBy("ulimit -l");
  }
  return Fix("ls -l /dev/infiniband && rdma link show")
      .Because("uverbs or rdma_cm is not there, or not open to the agent", Certainty::kPossible)
      .Run("modprobe -a ib_uverbs rdma_ucm")
      .CheckBy("ls -l /dev/infiniband");
}

Fix UnreachableHint(const TransferPlace& place) {
  if (place.rung == Rung::kLoopback) {
    return Fix(Cat("ip -brief address show dev ", NetdevOf(place)))
        .Because("the port has no address, or a packet filter drops UDP 4791 (RoCE v2)", Certainty::kPossible)
        .Run("nft list ruleset")
        .CheckBy("rdmaready test loopback");
  }
  if (place.routed) {
    return Fix(Cat("ip route get ", Peer(place), " oif ", NetdevOf(place)))
        .Because("the two have no subnet in common, and no router leads from one to the other",
                 Certainty::kPossible)
        .Do(Cat("on this host and on ", PeerHost(place), ", add a route through the RDMA interface"))
        .Do("let routers and firewalls pass UDP 4791 (RoCE v2)", StepSite::kSwitch)
        .CheckBy(PairTest(place));
  }
  return Fix(Cat("ip neigh show dev ", NetdevOf(place), "; ip route get ", Peer(place)))
      .Because(
          Cat(PeerHost(place), " does not answer ARP in this subnet, or a firewall drops UDP 4791 (RoCE v2)"),
          Certainty::kPossible)
      .Do("let the firewall of both hosts pass UDP 4791")
      .Do("compare the VLANs of both switch ports", StepSite::kSwitch)
      .CheckBy(PairTest(place));
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

bool IsAboutMemory(const Failure& failure) {
  if (failure.kind != FailureKind::kSetup) return false;
  constexpr std::string_view kWords[] = {"memory", "Cannot allocate", "reg_mr", "memlock"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return failure.detail.find(word) != std::string::npos; });
}

std::string_view FailurePhrase(FailureKind kind) { return WordsOf(kind).phrase; }

std::string WhyOf(FailureKind kind) { return std::string(WordsOf(kind).why); }

Fix LostHint(FailureKind kind, const std::string& netdev) {
  if (kind == FailureKind::kLost) {
    return Fix(Cat("rdma statistic show; ip -s link show dev ", netdev))
        .Because("the NIC, its firmware or its driver", Certainty::kPossible)
        .Caution("run the command on both hosts")
        .Do("update firmware and driver of the NIC, and report it to the vendor");
  }
  return Fix(Cat("ethtool -S ", netdev, "; dmesg | tail -n 50"))
      .Because("memory, the PCIe slot or the NIC", Certainty::kPossible)
      .Caution("keep storage off both hosts until the cause is known")
      .Do("look for ECC, PCIe (AER) and CRC errors on both hosts");
}

Fix HintFor(const Failure& failure, const TransferPlace& place) {
  const std::string netdev = NetdevOf(place);
  switch (failure.kind) {
    case FailureKind::kNone:
      return {};
    case FailureKind::kSetup:
      return SetupHint(failure);
    case FailureKind::kRejected:
      if (place.routed) return UnreachableHint(place);
      return Fix("rdma resource show cm_id")
          .Because("another program listens there, or two tests met", Certainty::kPossible)
          .Caution(Cat("run the command on ", PeerHost(place)))
          .Do("end the program that listens, or wait for the other test")
          .CheckBy(PairTest(place));
    case FailureKind::kUnreachable:
      return UnreachableHint(place);
    case FailureKind::kCompletion:
      return Fix(Cat("rdma statistic show; ethtool -S ", netdev))
          .Because("a lossy path, where retry, sequence or discard counters grow", Certainty::kPossible)
          .Do("check PFC, MTU and the link on both hosts");
    case FailureKind::kDisconnected:
      return Fix(Cat("dmesg | tail -n 30; ip -d link show dev ", netdev))
          .Because("a link flap, a driver reset, or a killed process", Certainty::kPossible)
          .Do(Cat("look at the same on ", PeerHost(place)));
    case FailureKind::kPeerGone:
      return Fix("systemctl restart rdmaready-agent")
          .Because(Cat("the agent on ", PeerHost(place), " ended"))
          .Caution(Cat("run the command on ", PeerHost(place)))
          .Or("without the unit: start rdmaready-agent with the options that it had")
          .CheckBy(PairTest(place));
    case FailureKind::kStalled:
      return Fix(Cat("dcb pfc show dev ", netdev, "; ip -s link show dev ", netdev))
          .Because("a receiver that pauses without end, where pause counters grow; else the link",
                   Certainty::kPossible)
          .Do("find the slow receiver: look at the pause counters of the switch ports", StepSite::kSwitch);
    case FailureKind::kLost:
    case FailureKind::kCorrupt:
      return LostHint(failure.kind, netdev);
    case FailureKind::kUnknown:
    case FailureKind::kCancelled:
      return GeneralHint(place);
  }
  return {};
}

std::string PairTest(const TransferPlace& place) {
  return Cat("rdmaready test peer ", HostWord(place.host, "HOST-A"), " ", HostWord(place.peer_host, "HOST-B"));
}

std::string WhyErrorsCount() {
  return "The bytes arrived, but only because something was sent again, dropped or not received in time: each "
         "time costs milliseconds to seconds. Other traffic of the port counts too";
}

Fix HintForErrors(const TransferPlace& place) {
  Fix fix(Cat("rdma statistic show; ethtool -S ", NetdevOf(place)));
  if (place.rung == Rung::kPeer) fix = std::move(fix).Do(Cat("look at the same on ", PeerHost(place)));
  return std::move(fix)
      .Do("discards grow: check PFC, marking and headroom")
      .Do("CRC or symbol errors grow: change the cable", StepSite::kPort)
      .Do("neither grows: look at the counters of the switch ports", StepSite::kSwitch);
}

std::string WhyTooSlow() {
  return "The path moves every byte and is slower than the profile asks: storage over it will be, too";
}

Fix HintForThroughput(const TransferPlace& place) {
  return Fix(Cat(PairTest(place), " --no-verify --qps 4"))
      .Because("one CPU limits one queue pair, where this test is fast", Certainty::kPossible)
      .Do("slow again: look at pcie.*, link.* and the pause counters of both hosts")
      .CheckBy(PairTest(place));
}

Fix HintForWorst(const TransferPlace& place) {
  return Fix(Cat(PairTest(place), " --case write-512k --duration 10s"))
      .Because("the port was paused, or its CPU did something else", Certainty::kPossible)
      .Do("as low again: look at the pauses and losses that the test counts at both hosts, and at what else "
          "runs there")
      .CheckBy(PairTest(place));
}

Fix HintForLatency(const TransferPlace& place) {
  return Fix(Cat(PairTest(place), " --case send-1k --busy-poll"))
      .Because("the CPU takes long to wake up, where this test is fast", Certainty::kPossible)
      .Do("slow again: look at host.governor, and at the switch")
      .CheckBy(Cat(PairTest(place), " --case send-1k"));
}

Fix GeneralHint(const TransferPlace& place) {
  switch (place.rung) {
    case Rung::kUnknown:
    case Rung::kHost:
      return "rdmaready check";
    case Rung::kLoopback:
      return Fix("rdmaready test loopback").Caution("run it when nothing else tests this port");
    case Rung::kPeer:
      return Fix(PairTest(place)).Caution("run it when nothing else tests these ports");
    case Rung::kSmbDirect:
      return Fix(Cat(PairTest(place), " --case send-1k,smbd-send-1k"))
          .Do("send-1k fails too: the fault is in RDMA itself, and not in SMB Direct");
    case Rung::kServer:
      return "rdmaready probe smb SERVER";
    case Rung::kShare:
      return "rdmaready check --level share --share //SERVER/SHARE --credentials FILE";
  }
  return "rdmaready check";
}

}  // namespace rdmaready
