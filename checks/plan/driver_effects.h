// SPDX-License-Identifier: Apache-2.0
// What a write of one setting does to a host, by what the drivers of Linux 6.12 do: a pure model, as far as it
// bears on settings. The plan is made by it, because one write may change what another has to begin from.
//
// What it takes over from the sources: ice_dcb_nl.c, ice_ethtool.c (its private flag; pause beside PFC; DSCP
// mode), bnxt_dcb.c (nothing unless DCBX is the host's and IEEE; no PFC before ETS; lossless queues),
// en_dcbnl.c of mlx5 (ETS shares of 100, the link's room in buffers, steps of rates, DSCP rows only),
// net/8021q/vlan.c and bond_main.c (MTUs), include/linux/inetdevice.h (sysctls).
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready {

// Makes `facts` those of the host after the write. The result is empty, or why the kernel or the driver
// refuses, or would not take the value as it is: then `facts` are as they were. `to` is canonical.
std::string WriteSetting(Facts& facts, const SettingObject& object, std::string_view to);

}  // namespace rdmaready
