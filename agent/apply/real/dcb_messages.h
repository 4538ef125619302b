// SPDX-License-Identifier: Apache-2.0
// dcbnl's requests that set something, and what it answers. Pure; one attribute a request, since a refused one
// undoes nothing of what stood before it (net/dcb/dcbnl.c).
#pragma once

#include <linux/dcbnl.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/setting.h"
#include "collectors/attributes.h"
#include "collectors/questions/netlink.h"

namespace rdmaready {

NetlinkRequest GetIeee(const std::string& netdev);
NetlinkRequest GetDcbxMode(const std::string& netdev);
NetlinkRequest SetDcbxMode(const std::string& netdev, std::uint8_t mode);
// `attribute` is one of DCB_ATTR_IEEE_* (or DCB_ATTR_DCB_*) with its value.
NetlinkRequest SetIeee(const std::string& netdev, const Payload& attribute);
NetlinkRequest DeleteIeee(const std::string& netdev, const Payload& attribute);

Payload EtsAttribute(const ieee_ets& ets);
Payload PfcAttribute(const ieee_pfc& pfc);
Payload BufferAttribute(const dcbnl_buffer& buffer);
Payload MaxRateAttribute(const MaxRatesKbps& rates);
Payload AppAttribute(const AppEntry& row);  // an APP table of this row alone
Payload TrustAttribute(const std::vector<AppSelector>& order);

// The kernel's struct with what of it is a setting changed; the rest stays, but padding and counters are zero.
ieee_ets Changed(ieee_ets now, const EtsSetting& to);
ieee_pfc Changed(const ieee_pfc& now, const PfcSetting& to);
dcbnl_buffer Changed(dcbnl_buffer now, const BufferSetting& to);

std::uint8_t ModeOf(const Dcbx& mode);  // DCB_CAP_DCBX_*

// What the answer to GetIeee has. EOPNOTSUPP: nothing, which is a driver that has no function for it.
absl::StatusOr<ieee_ets> EtsIn(const std::vector<NetlinkMessage>& answer, std::string_view what);
absl::StatusOr<ieee_pfc> PfcIn(const std::vector<NetlinkMessage>& answer, std::string_view what);
absl::StatusOr<dcbnl_buffer> BufferIn(const std::vector<NetlinkMessage>& answer, std::string_view what);
absl::StatusOr<ieee_maxrate> MaxRateIn(const std::vector<NetlinkMessage>& answer, std::string_view what);

// The octet that the driver's function returned: of SetIeee and DeleteIeee (`attribute` DCB_ATTR_IEEE) a
// negative errno, of SetDcbxMode (DCB_ATTR_DCBX) not 0 for refused. Positive of the first: done, as ice says
// it.
absl::StatusOr<std::int8_t> OctetIn(const std::vector<NetlinkMessage>& answer, int attribute,
                                    std::string_view what);
// The mode that the answer to GetDcbxMode tells.
absl::StatusOr<std::uint8_t> ModeIn(const std::vector<NetlinkMessage>& answer, std::string_view what);

}  // namespace rdmaready
