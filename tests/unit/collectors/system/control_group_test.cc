// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using Texts = std::vector<std::string>;

const Texts kOverlay{"22 1 0:30 / / rw,relatime master:5 - overlay overlay rw,lowerdir=/a:/b"};
const Texts kDisk{"28 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw", "29 1 0:5 / /dev rw - overlay x rw"};

std::string Container(const char* cgroup, const Texts& mounts = kDisk) { return ContainerOf(cgroup, mounts); }

TEST(ContainerOf, NamesTheEngineOfTheGroup) {
  EXPECT_EQ(Container("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-1.scope\n"), "kubepods");
  EXPECT_EQ(Container("12:memory:/docker/1f\n0::/docker/1f\n"), "docker");
  EXPECT_EQ(Container("0::/machine.slice/libpod-1f.scope\n"), "libpod");
}

TEST(ContainerOf, SeesAnOverlayAtTheTopOfAllGroups) {
  EXPECT_EQ(Container("0::/\n", kOverlay), "overlay");
  EXPECT_EQ(Container("2:cpu:/\n1:memory:/\n0::/\n", kOverlay), "overlay");
  EXPECT_EQ(Container("0::/\n", kDisk), "");
  // A machine that runs from an overlay, as a live image does.
  EXPECT_EQ(Container("0::/system.slice/rdmaready-agent.service\n", kOverlay), "");
}

TEST(ReadControlGroup, TakesTheLeastLimitOfTheGroupsAbove) {
  FakeHost host;
  host.files["/proc/self/cgroup"] = "0::/system.slice/rdmaready-agent.service\n";
  host.files["/proc/self/mountinfo"] = kDisk[0] + "\n";
  host.files["/sys/fs/cgroup/cgroup.controllers"] = "cpu memory\n";
  EXPECT_EQ(*ReadControlGroup(host)->memory_max_bytes, Memlock::kUnlimited);
  host.files["/sys/fs/cgroup/system.slice/rdmaready-agent.service/memory.max"] = "max\n";
  host.files["/sys/fs/cgroup/system.slice/memory.max"] = "67108864\n";
  EXPECT_EQ(*ReadControlGroup(host)->memory_max_bytes, 67108864U);
  host.files["/proc/self/cgroup"] = "0::/\n";
  host.files["/sys/fs/cgroup/memory.max"] = "1048576\n";
  EXPECT_EQ(*ReadControlGroup(host)->memory_max_bytes, 1048576U);
}

TEST(ReadControlGroup, ReturnsGapsForWhatItCannotRead) {
  FakeHost host;
  host.files["/proc/self/cgroup"] = ErrnoStatus(EACCES, "read /proc/self/cgroup");
  host.files["/proc/self/mountinfo"] = kDisk[0] + "\n";
  host.files["/sys/fs/cgroup/cgroup.controllers"] = "cpu memory\n";
  EXPECT_EQ(ReadControlGroup(host).missing().kind, Missing::Kind::kDenied);
  host.files["/proc/self/cgroup"] = "0::/\n";
  host.files["/sys/fs/cgroup/memory.max"] = "much\n";
  EXPECT_EQ(ReadControlGroup(host)->memory_max_bytes.missing().kind, Missing::Kind::kFailed);
  host.files["/sys/fs/cgroup/memory.max"] = ErrnoStatus(EACCES, "read /sys/fs/cgroup/memory.max");
  EXPECT_EQ(ReadControlGroup(host)->memory_max_bytes.missing().kind, Missing::Kind::kDenied);
  host.files["/proc/self/cgroup"] = "0::/../x.scope\n";
  EXPECT_EQ(ReadControlGroup(host)->memory_max_bytes.missing().kind, Missing::Kind::kFailed);
  host.files["/proc/self/cgroup"] = "5:memory:/x\n0::/x\n";
  EXPECT_EQ(ReadControlGroup(host)->memory_max_bytes.missing().kind, Missing::Kind::kUnsupported);
  host.files["/proc/self/cgroup"] = "0::/x\n";
  host.files.erase("/sys/fs/cgroup/cgroup.controllers");
  EXPECT_FALSE(ReadControlGroup(host)->memory_max_bytes);
}

}  // namespace
}  // namespace rdmaready
