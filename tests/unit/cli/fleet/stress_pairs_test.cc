// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

const std::array<std::string, 3> kStressNames{"a", "b", "c"};

std::string PortText(const std::optional<PortSelection>& port) {
  return port ? port->device + "/" + std::to_string(port->number) : "";
}

std::string WhyNoPorts(const std::vector<std::string>& options) {
  const absl::StatusOr<StressPortChoice> ports = ChoosePorts(options, kStressNames);
  EXPECT_TRUE(absl::IsInvalidArgument(ports.status()));
  return std::string(ports.status().message());
}

TEST(ChoosePorts, GivesTheNamedHostItsOwnAndTheOthersTheSame) {
  const std::vector<std::string> options{"b=mlx5_2/1", "mlx5_0/1"};
  const absl::StatusOr<StressPortChoice> ports = ChoosePorts(options, kStressNames);
  ASSERT_TRUE(ports.ok()) << ports.status();
  ASSERT_EQ(ports->size(), 3U);
  EXPECT_EQ(PortText((*ports)[0]), "mlx5_0/1");
  EXPECT_EQ(PortText((*ports)[1]), "mlx5_2/1");
  EXPECT_EQ(PortText((*ports)[2]), "mlx5_0/1");
}

TEST(ChoosePorts, LeavesTheChoiceOpenWhereNoneIsNamed) {
  const std::vector<std::string> options{"b=mlx5_2/1"};
  const absl::StatusOr<StressPortChoice> ports = ChoosePorts(options, kStressNames);
  ASSERT_TRUE(ports.ok()) << ports.status();
  EXPECT_EQ(PortText((*ports)[0]), "");
  EXPECT_EQ(PortText((*ports)[1]), "mlx5_2/1");
}

TEST(ChoosePorts, RefusesAnotherHostASecondPortAndOtherTexts) {
  EXPECT_THAT(WhyNoPorts({"d=mlx5_0/1"}), HasSubstr("--port d=mlx5_0/1: no host of this test has that name"));
  EXPECT_THAT(WhyNoPorts({"=mlx5_0/1"}), HasSubstr("no host of this test has that name"));
  EXPECT_THAT(WhyNoPorts({"a=mlx5_0/1", "a=mlx5_1/1"}), HasSubstr("a second port of the same host"));
  EXPECT_THAT(WhyNoPorts({"mlx5_0/1", "mlx5_1/1"}), HasSubstr("a second port of the same host"));
  EXPECT_THAT(WhyNoPorts({"a=mlx5_0"}), HasSubstr("DEVICE/NUMBER expected"));
}

TEST(StressPairing, RefusesAHostWhosePortsAreNotKnown) {
  Facts unknown = GoodHost();
  unknown.ports = Missing{};
  const std::vector<PlanHost> hosts{{.name = "a", .facts = &unknown}};
  const Profile profile;
  const StressPortChoice ports{PortSelection{.device = "rxe0", .number = 1}};
  EXPECT_EQ(StressPairing::Between(hosts, ports, profile).status(),
            absl::UnknownError("the ports of a are not known"));
}

}  // namespace
}  // namespace rdmaready
