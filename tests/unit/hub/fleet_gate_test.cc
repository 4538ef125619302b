// SPDX-License-Identifier: Apache-2.0
// Who gets through the gate of a hub, to which hosts: by certificates that a server really saw.
#include "hub/access/fleet_gate.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/base/clock.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/client/tls.h"
#include "api/daemon/server_tls.h"
#include "api/pki/authority.h"
#include "api/pki/key.h"
#include "rdmaready/v1/fleet.grpc.pb.h"
#include "tests/support/made_certificate.h"

namespace rdmaready::hub {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kGateRoles[] = R"(roles:
  - who: ["URI:rdmaready:operator/anna", "URI:rdmaready:host/*"]
    may: admit
  - who: ["URI:rdmaready:operator/bert"]
    may: operate
    groups: ["gpu-*"]
  - who: ["URI:rdmaready:operator/bert", "DNS:grafana.example.org"]
    groups: [storage]
)";
constexpr FleetAsk kAllAsks[] = {FleetAsk::kObserve, FleetAsk::kOperate, FleetAsk::kAdmit};

std::shared_ptr<const FleetRoles> RolesOfTest(const std::string& yaml = kGateRoles) {
  const auto roles = FleetRoles::Parse(yaml, "roles.yaml");
  EXPECT_TRUE(roles.ok()) << roles.status();
  return *roles;
}

// "storage, gpu-*" or, in angle brackets, why not.
std::string TextOf(const absl::StatusOr<FleetCaller>& caller) {
  if (!caller.ok()) return "<" + Message(caller.status()) + ">";
  std::string text;
  for (const std::string& group : caller->groups) text += (text.empty() ? "" : ", ") + group;
  return text;
}

// A server that does with each call what the test says, and nothing else.
class GateDoor final : public v1::Fleet::Service {
 public:
  explicit GateDoor(std::shared_ptr<grpc::ServerCredentials> credentials) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", std::move(credentials), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~GateDoor() override { server_->Shutdown(DeadlineIn({})); }

  grpc::Status GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest*, v1::FleetStatus*) override {
    work_(*context);
    return grpc::Status::OK;
  }

  // One call by that channel, during which `work` is done.
  void Call(const std::shared_ptr<grpc::Channel>& channel,
            std::function<void(const grpc::ServerContextBase&)> work) {
    work_ = std::move(work);
    grpc::ClientContext context;
    context.set_deadline(DeadlineIn(std::chrono::seconds(20)));
    v1::FleetStatus response;
    const grpc::Status status = v1::Fleet::NewStub(channel)->GetStatus(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  absl::StatusOr<FleetCaller> Admit(const FleetGate& gate, const std::shared_ptr<grpc::Channel>& channel,
                                    FleetAsk ask) {
    absl::StatusOr<FleetCaller> caller = absl::InternalError("nobody called");
    Call(channel, [&](const grpc::ServerContextBase& context) { caller = gate.Admit(context, ask); });
    return caller;
  }
  absl::StatusOr<std::string> Host(const FleetGate& gate, const std::shared_ptr<grpc::Channel>& channel) {
    absl::StatusOr<std::string> host = absl::InternalError("nobody called");
    Call(channel, [&](const grpc::ServerContextBase& context) { host = gate.HostThatCalls(context); });
    return host;
  }

  // By which no certificate is shown.
  std::shared_ptr<grpc::Channel> Inside() { return server_->InProcessChannel({}); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int port_ = 0;
  std::function<void(const grpc::ServerContextBase&)> work_{};
  std::unique_ptr<grpc::Server> server_;
};

class FleetGateTest : public testing::Test {
 protected:
  FleetGateTest() {
    std::filesystem::create_directories(root_);
    EXPECT_TRUE(pki::Authority::Create(directory_, "test").ok());
    Issue("hub1", {.kind = pki::Kind::kHub, .name = "hub1", .addresses = {"127.0.0.1"}});
    Issue("anna", {.kind = pki::Kind::kOperator, .name = "anna"});
    Issue("bert", {.kind = pki::Kind::kOperator, .name = "bert"});
    Issue("carl", {.kind = pki::Kind::kOperator, .name = "carl"});
    Issue("grafana", {.kind = pki::Kind::kHub, .name = "grafana", .dns = {"grafana.example.org"}});
    host_id_ = Issue("node1", {.kind = pki::Kind::kHost, .name = "node1"}).entry.identity;
    TlsFiles files = FilesOf("hub1");
    files.crl = directory_ + "/crl.pem";
    judge_ = MakeCallerJudge(files, {});
    door_ = std::make_unique<GateDoor>((*MakeServerCredentials(files, judge_))([] {}));
  }
  ~FleetGateTest() override {
    door_.reset();
    std::filesystem::remove_all(root_);
  }

  pki::Issued Issue(const std::string& who, const pki::Order& order) {
    const pki::PrivateKey key = *pki::MakeKey();
    const auto issued = pki::Authority::Open(directory_)->Issue(order, *key);
    EXPECT_TRUE(issued.ok()) << issued.status();
    std::ofstream(root_ + "/" + who + ".pem") << issued->certificate_pem;
    std::ofstream(root_ + "/" + who + ".key") << *pki::KeyPem(*key);
    return issued_[who] = *issued;
  }
  void Revoke(const std::string& who) {
    EXPECT_TRUE(pki::Authority::Open(directory_)->Revoke(issued_.at(who).entry.serial).ok());
  }
  TlsFiles FilesOf(const std::string& who) const {
    return {.certificate = root_ + "/" + who + ".pem",
            .key = root_ + "/" + who + ".key",
            .ca = directory_ + "/ca.pem"};
  }
  const std::string& PemOf(const std::string& who) const { return issued_.at(who).certificate_pem; }
  std::shared_ptr<grpc::Channel> ChannelOf(const std::string& who) const {
    const TlsFiles files = FilesOf(who);
    const auto text = [](const std::string& path) { return *ReadSmallFile(path, kMaxPemBytes); };
    return grpc::CreateChannel(door_->address(),
                               grpc::SslCredentials({.pem_root_certs = text(files.ca),
                                                     .pem_private_key = text(files.key),
                                                     .pem_cert_chain = text(files.certificate)}));
  }
  std::string Asks(const FleetGate& gate, const std::string& who, FleetAsk ask) {
    return TextOf(door_->Admit(gate, ChannelOf(who), ask));
  }

  const std::string root_ = testing::TempDir() + "fleet gate " + std::to_string(::getpid());
  const std::string directory_ = root_ + "/ca";
  std::map<std::string, pki::Issued> issued_{};
  std::string host_id_{};
  std::shared_ptr<CallerJudge> judge_;
  std::unique_ptr<GateDoor> door_;
};

TEST_F(FleetGateTest, ByTheFileOfRolesEachMayWhatItSaysWithItsGroups) {
  const FleetGate gate(judge_, FleetAsk::kObserve, RolesOfTest());
  const auto refused = [](const std::string& who, const std::string& what) {
    return "<" + who + " may not " + what + ", by the file of roles of this hub>";
  };
  for (const FleetAsk ask : kAllAsks) EXPECT_EQ(Asks(gate, "anna", ask), "*") << AskWord(ask);
  EXPECT_EQ(Asks(gate, "bert", FleetAsk::kObserve), "gpu-*, storage");
  EXPECT_EQ(Asks(gate, "bert", FleetAsk::kOperate), "gpu-*");
  EXPECT_EQ(Asks(gate, "bert", FleetAsk::kAdmit), refused("bert", "admit hosts"));
  EXPECT_EQ(Asks(gate, "grafana", FleetAsk::kObserve), "storage");
  EXPECT_THAT(Asks(gate, "grafana", FleetAsk::kOperate), HasSubstr(" may not operate, by the file of roles"));
  EXPECT_THAT(Asks(gate, "grafana", FleetAsk::kAdmit), HasSubstr(" may not admit hosts, by the file of roles"));
  EXPECT_EQ(Asks(gate, "carl", FleetAsk::kObserve), refused("carl", "observe"));
  EXPECT_EQ(Asks(gate, "carl", FleetAsk::kOperate), refused("carl", "operate"));
  EXPECT_EQ(Asks(gate, "carl", FleetAsk::kAdmit), refused("carl", "admit hosts"));
  EXPECT_TRUE(absl::IsPermissionDenied(door_->Admit(gate, ChannelOf("carl"), FleetAsk::kObserve).status()));
}

TEST_F(FleetGateTest, WithoutAFileOfRolesOperatorsOperateAndOthersLook) {
  const FleetGate gate(judge_, FleetAsk::kObserve, nullptr);
  for (const char* const who : {"anna", "carl"}) {
    for (const FleetAsk ask : kAllAsks) {
      const auto caller = door_->Admit(gate, ChannelOf(who), ask);
      ASSERT_TRUE(caller.ok()) << caller.status();
      EXPECT_EQ(caller->who, who);
      EXPECT_TRUE(AreAllGroups(caller->groups));
    }
  }
  EXPECT_TRUE(door_->Admit(gate, ChannelOf("grafana"), FleetAsk::kObserve).ok());
  for (const FleetAsk ask : {FleetAsk::kOperate, FleetAsk::kAdmit}) {
    const auto refused = door_->Admit(gate, ChannelOf("grafana"), ask);
    EXPECT_TRUE(absl::IsPermissionDenied(refused.status())) << AskWord(ask);
    EXPECT_THAT(Message(refused.status()),
                HasSubstr("takes a certificate with the URI rdmaready:operator/NAME"));
  }
}

TEST_F(FleetGateTest, AHostLooksAtNobodyWhateverTheFileOfRolesSays) {
  for (const auto& roles : {RolesOfTest(), std::shared_ptr<const FleetRoles>()}) {
    const FleetGate gate(judge_, FleetAsk::kObserve, roles);
    for (const FleetAsk ask : kAllAsks)
      EXPECT_EQ(Asks(gate, "node1", ask), "<a host of the fleet reports, and does not look at others>");
  }
}

TEST_F(FleetGateTest, WhoIsRevokedIsRefusedAlsoOnAConnectionThatStands) {
  const FleetGate gate(judge_, FleetAsk::kObserve, RolesOfTest());
  const auto channel = ChannelOf("anna");
  const auto other = ChannelOf("bert");
  for (const FleetAsk ask : kAllAsks) EXPECT_EQ(TextOf(door_->Admit(gate, channel, ask)), "*");
  EXPECT_EQ(TextOf(door_->Admit(gate, other, FleetAsk::kObserve)), "gpu-*, storage");
  Revoke("anna");
  for (const FleetAsk ask : kAllAsks) {
    const auto caller = door_->Admit(gate, channel, ask);
    EXPECT_TRUE(absl::IsUnauthenticated(caller.status())) << AskWord(ask);
    EXPECT_THAT(Message(caller.status()), StartsWith("the caller's certificate was revoked on "));
  }
  EXPECT_EQ(TextOf(door_->Admit(gate, other, FleetAsk::kObserve)), "gpu-*, storage") << "and nobody else";
}

TEST_F(FleetGateTest, AnotherFileOfRolesHoldsFromTheNextCallOn) {
  FleetGate gate(judge_, FleetAsk::kObserve, RolesOfTest());
  const auto channel = ChannelOf("carl");
  EXPECT_FALSE(door_->Admit(gate, channel, FleetAsk::kObserve).ok());
  gate.SetRoles(RolesOfTest("roles:\n  - who: ['URI:rdmaready:operator/carl']\n    groups: [web]\n"));
  EXPECT_EQ(TextOf(door_->Admit(gate, channel, FleetAsk::kObserve)), "web");
  EXPECT_FALSE(door_->Admit(gate, ChannelOf("anna"), FleetAsk::kObserve).ok());
  gate.SetRoles(nullptr);
  EXPECT_TRUE(door_->Admit(gate, channel, FleetAsk::kAdmit).ok());
}

TEST_F(FleetGateTest, WithoutACertificateNobodyIsLetInByTls) {
  const FleetGate gate(judge_, FleetAsk::kObserve, nullptr);
  for (const FleetAsk ask : kAllAsks)
    EXPECT_EQ(door_->Admit(gate, door_->Inside(), ask).status(), absl::UnauthenticatedError("no certificate"));
  EXPECT_EQ(door_->Host(gate, door_->Inside()).status(), absl::UnauthenticatedError("no certificate"));
}

TEST_F(FleetGateTest, WithoutTlsCallersObserveUnlessTheOptionSaysMore) {
  GateDoor plain(grpc::InsecureServerCredentials());
  const auto channel = grpc::CreateChannel(plain.address(), grpc::InsecureChannelCredentials());
  for (const FleetAsk may : {FleetAsk::kObserve, FleetAsk::kOperate}) {
    const FleetGate gate(nullptr, may, nullptr);
    for (const FleetAsk ask : kAllAsks)
      EXPECT_EQ(plain.Admit(gate, channel, ask).ok(), ask <= may) << AskWord(may) << " " << AskWord(ask);
    const auto caller = plain.Admit(gate, channel, may);
    ASSERT_TRUE(caller.ok()) << caller.status();
    EXPECT_THAT(caller->who, StartsWith("ipv4:127.0.0.1"));
    EXPECT_THAT(caller->groups, IsEmpty());
    EXPECT_TRUE(gate.AdmitToSums("", "").ok());
  }
  const FleetGate gate(nullptr, FleetAsk::kObserve, nullptr);
  const absl::Status refused = plain.Admit(gate, channel, FleetAsk::kOperate).status();
  EXPECT_TRUE(absl::IsPermissionDenied(refused));
  EXPECT_THAT(Message(refused), HasSubstr("--plain-role operate"));
}

TEST_F(FleetGateTest, AHostIsWhatItsCertificateSays) {
  const FleetGate gate(judge_, FleetAsk::kObserve, RolesOfTest());
  const auto channel = ChannelOf("node1");
  EXPECT_EQ(*door_->Host(gate, channel), host_id_);
  for (const char* const who : {"anna", "grafana"}) {
    EXPECT_EQ(door_->Host(gate, ChannelOf(who)).status(),
              absl::PermissionDeniedError("the certificate names no host of a fleet"));
  }
  Revoke("node1");
  const auto revoked = door_->Host(gate, channel);
  EXPECT_TRUE(absl::IsPermissionDenied(revoked.status()));
  EXPECT_THAT(Message(revoked.status()), HasSubstr("was revoked on "));
}

TEST_F(FleetGateTest, SumsOfTheFleetTakeARoleOfAllGroups) {
  const FleetGate gate(judge_, FleetAsk::kObserve, RolesOfTest());
  EXPECT_TRUE(gate.AdmitToSums(PemOf("anna"), "").ok());
  EXPECT_EQ(gate.AdmitToSums(PemOf("bert"), ""),
            absl::PermissionDeniedError("sums of the fleet take a role of all groups, by the file of roles"));
  EXPECT_TRUE(absl::IsPermissionDenied(gate.AdmitToSums(PemOf("carl"), "")));
  EXPECT_TRUE(absl::IsPermissionDenied(gate.AdmitToSums(PemOf("node1"), "")));
  EXPECT_TRUE(absl::IsUnauthenticated(gate.AdmitToSums("", "")));
  const std::string forged = MadeCertificate("anna", "URI:rdmaready:operator/anna");
  EXPECT_TRUE(absl::IsUnauthenticated(gate.AdmitToSums(forged, ""))) << "of another CA";
  EXPECT_TRUE(FleetGate(judge_, FleetAsk::kObserve, nullptr).AdmitToSums(PemOf("grafana"), "").ok());
  Revoke("anna");
  EXPECT_TRUE(absl::IsUnauthenticated(gate.AdmitToSums(PemOf("anna"), "")));
}

}  // namespace
}  // namespace rdmaready::hub
