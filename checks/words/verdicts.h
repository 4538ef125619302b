// SPDX-License-Identifier: Apache-2.0
// Verdicts: the few ways in which a check ends, and the common reasons why one does not apply.
#pragma once

#include <string>
#include <string_view>

#include "api/model/fact.h"
#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/fact_ref.h"
#include "checks/words/verdict.h"

namespace rdmaready {

// Pass or fail. An empty `fix` means the check's own.
Verdict Judged(bool good, std::string observed, std::string_view expected, std::string_view source,
               Fix fix = {});

Verdict Warned(std::string observed, std::string_view expected, std::string_view source, Fix fix = {});

// The check makes no sense here: "profile x does not ask for a DSCP". Never for what could not be read.
Verdict NotApplicable(std::string_view reason);

// There is no answer to judge. The fix helps against the kind of gap; `instead` is what to do where the kernel
// or the device does not offer the answer at all (one command line, or a # comment; empty: a general one).
Verdict NoAnswer(const Missing& why, std::string_view expected, std::string_view source,
                 const Fix& instead = {});

// There is an answer, and it cannot be judged: it contradicts itself, or names what nobody knows. The check's
// own fix says what to do.
Verdict Unclear(std::string observed, std::string_view expected, std::string_view source);

// "profile x does not ask for a DSCP".
std::string NotAsked(const Profile& profile, std::string_view for_what);

// Does a person have to do something about it?
constexpr bool CallsForAction(Outcome outcome) {
  return outcome != Outcome::kPass && outcome != Outcome::kNotApplicable;
}

// Why RoCE and its DCB settings do not concern the port (it is InfiniBand, iWARP, or a protocol of the device's
// own); empty when they do, and also when the transport is not known, because then nobody may say that they do
// not.
std::string NotRoce(const Port& port);

// The RDMA device is known to be software: no firmware, no PCIe.
bool IsSoftware(const Port& port);

bool IsInfiniBand(const Port& port);

// Why what only InfiniBand has does not concern the port; empty when it does, and also when the transport is
// not known.
std::string NotInfiniBand(const Port& port);

// Asked, and not offered by the kernel, driver or device.
template <template <class> class AnyFact, class T>
bool NotOffered(const AnyFact<T>& fact) {
  return !fact && fact.missing().kind == Missing::Kind::kUnsupported;
}

// The interface was seen, and its driver does not offer it: nothing is said of drivers that nobody saw.
template <class T>
bool DriverLacks(NetdevRef netdev, const FactRef<T>& fact) {
  return netdev && NotOffered(fact);
}

// One answer of a netdev, or the reason why there is no netdev to have any.
template <class T>
FactRef<T> NetdevFact(NetdevRef netdev, Fact<T> Netdev::*part) {
  if (!netdev) return FactRef<T>(netdev.missing());
  return (*netdev).*part;
}

// The same of its link as ethtool sees it.
template <class T>
FactRef<T> LinkFact(NetdevRef netdev, Fact<T> EthernetLink::*part) {
  if (!netdev) return FactRef<T>(netdev.missing());
  return netdev->link.*part;
}

// The same of its data centre bridging.
template <class T>
FactRef<T> DcbFact(NetdevRef netdev, Fact<T> Dcb::*part) {
  if (!netdev) return FactRef<T>(netdev.missing());
  return netdev->dcb.*part;
}

// Of PFC and ETS: missing also where the driver's answer is not what the NIC does (driver_record.cc).
FactRef<Pfc> DcbFact(NetdevRef netdev, Fact<Pfc> Dcb::*part);
FactRef<Ets> DcbFact(NetdevRef netdev, Fact<Ets> Dcb::*part);

// What the driver said of them all the same: its counters, and that it can be asked.
template <class T>
FactRef<T> ToldByDriver(NetdevRef netdev, Fact<T> Dcb::*part) {
  if (!netdev) return FactRef<T>(netdev.missing());
  return netdev->dcb.*part;
}

}  // namespace rdmaready
