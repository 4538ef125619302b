// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/cluster_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "api/base/status.h"
#include "collectors/pod_process.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr const char* kUid = "9d0e2b7a-3333-4444-8555-966677778888";
constexpr std::string_view kCgroup =
    "0::/kubepods.slice/kubepods-besteffort.slice/"
    "kubepods-besteffort-pod9d0e2b7a_3333_4444_8555_966677778888.slice/cri-containerd-90ab.scope\n";

TEST(PodProcessOf, ReadsTheUidOfThePod) {
  EXPECT_EQ(PodUidOf(kCgroup), kUid);
  EXPECT_EQ(PodUidOf("0::/kubepods/burstable/pod9d0e2b7a-3333-4444-8555-966677778888/0a1b\n"), kUid);
  EXPECT_EQ(PodUidOf("0::/system.slice/kubelet.service\n"), "");
  EXPECT_EQ(PodUidOf("0::/kubepods.slice/kubepods-besteffort.slice\n"), "");
}

TEST(PodProcessOf, KeepsWordsAndScriptAlone) {
  const Names words{"mlnx_qos"};
  const std::string_view line("/bin/bash\0-ceu\0mlnx_qos -i eth2; export TOKEN=secret\0", 53);
  EXPECT_EQ(PodProcessOf(7, {"bash\n", kCgroup, line}, words), (PodProcess{7, "bash", kUid, "", {"mlnx_qos"}}));
  const std::string_view script("/bin/bash\0/scripts/roce-qos.sh\0", 31);
  EXPECT_EQ(PodProcessOf(7, {"roce-qos.sh\n", kCgroup, script}, words),
            (PodProcess{7, "roce-qos.sh", kUid, "roce-qos.sh", {}}));
  EXPECT_FALSE(PodProcessOf(7, {"nginx\n", kCgroup, "nginx"}, words));
  EXPECT_FALSE(PodProcessOf(7, {"bash\n", "0::/user.slice\n", line}, words));
}

TEST(PodProcessOf, KeepsNoTokenAndNoProgramText) {
  for (const std::string_view line : {std::string_view("bash\0-s\0--\0K10token::server:abc\0", 34),
                                      std::string_view("perl\0-e\0login(\"root\",\"hunter2\")\0", 34),
                                      std::string_view("bash\0-\0s3cret\0", 14)}) {
    const auto found = PodProcessOf(7, {"sh\n", kCgroup, line}, Names{"mlnx_qos"});
    EXPECT_TRUE(!found || found->script.empty()) << line;
  }
}

TEST(ReadClusterAgents, FindsProcessesThatCallATool) {
  FakeHost host;
  host.directories["/var/log/pods"] = Names{std::string("net_roce-qos-7tq2m_") + kUid, "kube-system_dns_1"};
  host.Answer(
      PodProcessesQuestion{ClusterAgentWords()},
      PodProcessesAnswer{{{7712, "bash", kUid, "", {"mlnx_qos"}}, {7713, "sleep", kUid, "", {"mlnx_qos"}}}});
  EXPECT_THAT(*ReadClusterAgents(host),
              ElementsAre(ClusterAgent{"bash", 7712, "net/roce-qos-7tq2m", "mlnx_qos"}));
}

TEST(ReadClusterAgents, FindsScriptsThatCallATool) {
  FakeHost host;
  const std::string maps = std::string("/var/lib/kubelet/pods/") + kUid + "/volumes/kubernetes.io~configmap";
  host.directories[maps] = Names{"scripts"};
  host.Answer(PodProcessesQuestion{ClusterAgentWords()},
              PodProcessesAnswer{{{7310, "roce-qos.sh", kUid, "roce-qos.sh", {}}}});
  EXPECT_THAT(*ReadClusterAgents(host), IsEmpty());
  host.files[maps + "/scripts/roce-qos.sh"] = std::string("mlnx_qos -i eth2 --trust dscp\n");
  EXPECT_THAT(*ReadClusterAgents(host), ElementsAre(ClusterAgent{"roce-qos.sh", 7310, "", "roce-qos.sh"}));
}

TEST(ReadClusterAgents, ReportsAGapWithoutProcesses) {
  FakeHost host;
  host.Answer(PodProcessesQuestion{ClusterAgentWords()}, ErrnoStatus(EACCES, "list /proc"));
  EXPECT_EQ(ReadClusterAgents(host).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
