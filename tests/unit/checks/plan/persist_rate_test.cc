// SPDX-License-Identifier: Apache-2.0
// The unit of a rate limit: the command asks for the version of `dcb`, and systemd has no shell of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checks/plan/plan.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

TEST(PersistRate, IsSetByAShellThatAsksForTheVersion) {
  Profile profile = VirtualFabricProfile();
  profile.rdma_max_rate_mbps = 5000;
  const Facts host = WithDcb([](Dcb& dcb) { dcb.max_rate_kbps = MaxRatesKbps{}; });
  const Plan plan = MakePlan(HostParts(host, profile), {.persist = true});
  const auto unit = std::ranges::find_if(
      plan.persist, [](const PersistFile& file) { return file.path.ends_with("/rdma-dcb-dcb0.service"); });
  ASSERT_NE(unit, plan.persist.end());
  EXPECT_NE(
      unit->content.find("\nExecStart=/bin/sh -c \"dcb maxrate set dev dcb0 tc-maxrate $$(dcb -V | grep -Eq "
                         "'iproute2-([0-5]|6[.]([0-9]|1[0-7])([.-]|$$))' && echo 3:5000000bps || echo "
                         "3:5000000kbit)\"\n"),
      std::string::npos)
      << unit->content;
}

}  // namespace
}  // namespace rdmaready
