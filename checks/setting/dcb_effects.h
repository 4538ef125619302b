// SPDX-License-Identifier: Apache-2.0
// SettingRow::effect of what one netdev's driver decides: pause, private flags and data centre bridging.
//
// It follows these sources: ice_dcb_nl.c, ice_ethtool.c (its private flag; pause beside PFC; DSCP
// mode), bnxt_dcb.c (nothing unless DCBX is the host's and IEEE; no PFC before ETS; lossless queues),
// en_dcbnl.c of mlx5 (ETS shares of 100, the link's room in buffers, steps of rates, DSCP rows only).
#pragma once

#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready {

std::string PauseEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string PrivateFlagEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string DcbxEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string EtsEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string PfcEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string BufferEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string MaxRateEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string AppEffect(Facts& facts, const SettingObject& object, std::string_view to);
std::string TrustEffect(Facts& facts, const SettingObject& object, std::string_view to);

}  // namespace rdmaready
