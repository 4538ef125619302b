// SPDX-License-Identifier: Apache-2.0
// What each text of rdmaready.v1.Facts is, under pseudonyms: a row for each. A text without a row is left out;
// a test holds that there is none.
#pragma once

#include <string_view>

namespace rdmaready::bundle {

enum class Treatment {
  kUnknown = 0,  // no row
  kKeep,         // words of the kernel, of drivers, of ours
  kHost,
  kMachineId,
  kDevice,
  kAddress,
  kMac,
  kAny,  // an address of some kind, or a name
  kName,
  kPath,
  kRule,        // of ip rule
  kSysctl,      // "net.ipv4.conf.dcb0.rp_filter"
  kBootObject,  // a device, its MAC address or driver, or a sysctl
  kGid,
  kGuid,
  kWhy,  // free text: replaced as a whole, but for kNotInRecording
};

// `field` is "Message.field"; of a list of names the field that holds the list. Numbers have a row only where
// they are addresses.
Treatment TreatmentOf(std::string_view field);

}  // namespace rdmaready::bundle
