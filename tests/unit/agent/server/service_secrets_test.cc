// SPDX-License-Identifier: Apache-2.0
// Secrets that stand beside what is looked for, in every file of people's and programs' that is read: none of
// them is in a recording, a report, the facts, the store or the log.
#include <algorithm>
#include <string_view>

#include "agent/own_check.h"
#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

constexpr std::string_view kMark = "PLANTED";

// Each holds the mark; %s is where what is looked for stands.
constexpr std::array<const char*, 20> kSecretKinds{
    "-t rdma -a 10.0.0.9 --dhchap-secret=DHHC-1:00:PLANTED01: %s --dhchap-ctrl-secret=DHHC-1:00:PLANTED01b:",
    "{\"hostnqn\":\"n\",\"dhchap_key\":\"DHHC-1:01:PLANTED02:\",%s,\"dhchap_ctrl_key\":\"PLANTED02b\"}",
    "NVMeTLSkey-1:01:PLANTED03: %s",
    "node.session.auth.password = PLANTED04 %s",
    "mount -t cifs -o user=u,password=PLANTED05,rdma //s/x /m; %s",
    "password=PLANTED06 %s domain=PLANTED06b",
    "psk=\"PLANTED07\" %s",
    "*/5 * * * * root curl https://u:PLANTED08@example.org/ ; %s",
    "AWS_SECRET_ACCESS_KEY=PLANTED09 %s",
    "%s -----BEGIN OPENSSH PRIVATE KEY----- PLANTED10",
    "Authorization: Bearer PLANTED11 %s",
    "%s --keytab-password PLANTED12",
    "Cookie: session=PLANTED13; %s",
    "rocommunity PLANTED14 %s",
    "bindpw PLANTED15 %s",
    "Environment=PGPASSWORD=PLANTED16 %s Environment=X=PLANTED16b",
    "ipmitool -U admin -P PLANTED17 ; %s",
    "PrivateKey = PLANTED18 %s",
    "GITHUB_TOKEN=ghp_PLANTED19 %s",
    "# commented out: secret PLANTED20 %s PLANTED20b"};

bool IsPeoplesFile(std::string_view path) {
  return !path.starts_with("/proc/") && !path.starts_with("/sys/") && !path.starts_with("/lib/modules/") &&
         !path.starts_with("/boot/") && !path.starts_with("/run/systemd/netif/") &&
         !path.starts_with("/etc/security/limits.");
}

// A host that plants all kinds of secrets in each of people's files that somebody looks through, whatever its
// name, and says which they were.
class PlantingHost final : public HostReader {
 public:
  using HostReader::Ask;
  rdmaready::Answer Ask(const Question& question) override {
    if (const auto* lines = std::get_if<LinesQuestion>(&question);
        lines != nullptr && IsPeoplesFile(lines->path)) {
      planted.push_back(lines->path);
      fake_.files[lines->path] = TextWith(lines->words);
    }
    return fake_.Ask(question);
  }

  std::vector<std::string> planted{};

 private:
  static std::string TextWith(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
      for (const std::string kind : kSecretKinds) {
        const std::size_t place = kind.find("%s");
        for (const std::string value : {"", "106", "=106", ":106,", " = yes"}) {
          if (place == 0 && value.find('=') != value.npos) continue;  // it would be the value looked for
          text += kind.substr(0, place) + word + value + kind.substr(place + 2) + "\n";
        }
      }
    }
    return text;
  }

  FakeHost fake_ = [] {
    FakeHost host = GoodFakeHost();
    for (const char* folder :
         {"/etc/systemd/system", "/etc/udev/rules.d", "/etc/rdma", "/etc/network/if-up.d",
          "/etc/NetworkManager/dispatcher.d", "/etc/networkd-dispatcher/routable.d", "/etc/modprobe.d",
          "/etc/infiniband", "/etc/NetworkManager/system-connections"}) {
      host.directories[folder] = std::vector<std::string>{"a.service", "b.conf"};
    }
    return host;
  }();
};

int PlantedIn(std::string_view text) {
  int count = 0;
  for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) ++count;
  return count;
}

TEST_F(ServiceTest, KeepsNoSecretOfTheFilesItReads) {
  const auto host = std::make_shared<PlantingHost>();
  ServedAgent agent(BothEnds(), locks_, {}, HostNetwork(), host);
  const absl::StatusOr<RecordingFiles> files = agent.Client("a")->GetRecording();
  ASSERT_TRUE(files.ok()) << files.status();
  for (const auto& [path, text] : *files)
    EXPECT_EQ(PlantedIn(text), 0) << path << "\n" << text.substr(0, text.find(kMark) + 20);
  EXPECT_NE(files->at("lines.jsonl").find("--tos=106"), std::string::npos);  // it was looked for, and found
  for (const char* path : {"/etc/nvme/discovery.conf", "/etc/nvme/config.json", "/etc/nccl.conf",
                           "/etc/ksmbd/ksmbd.conf", "/etc/rc.local", "/etc/systemd/system/a.service"}) {
    EXPECT_NE(std::ranges::find(host->planted, path), host->planted.end()) << path;
  }

  const absl::StatusOr<Facts> facts = agent.Client("a")->GetFacts();
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(PlantedIn(ToProto(*facts).SerializeAsString()), 0);
  ASSERT_TRUE(agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {}).ok());
  CheckByItself(agent.agent(), {}, {});
  ASSERT_EQ(agent.store.runs.size(), 2U);
  for (const RunRecord& run : agent.store.runs) EXPECT_EQ(PlantedIn(ToProto(run).SerializeAsString()), 0);
  for (const Event& event : agent.events) {
    for (const Event::Field& field : event.fields) {
      const auto* text = std::get_if<std::string>(&field.value);
      EXPECT_EQ(text == nullptr ? 0 : PlantedIn(*text), 0) << field.key;
    }
  }
}

}  // namespace
}  // namespace rdmaready
