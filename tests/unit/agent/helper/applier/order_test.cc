// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"

namespace rdmaready::helper {
namespace {

using testing::HasSubstr;

const std::string kId = "0123456789abcdef0123456789abcdef";

ApplyOrder Order() {
  return {.profiles = {*LoadProfile("smb-direct-roce"), *LoadProfile("virtual-fabric")},
          .ports = {"dcb0", "rxe0/1"},
          .confirm_within_ms = 45'000,
          .allow_one_way = true,
          .proof = true,
          .peer_proof = true,
          .requester = "alice (tls CN=alice)",
          .plan_sha256 = std::string(64, 'a')};
}

// As it comes out of the other end of a socket.
Json Sent(const Json& json) { return *recording::ParseObject(Text(json)); }

template <class Decoded>
absl::StatusOr<Decoded> Decode(const Json& question, absl::StatusOr<Decoded> (*decode)(Arguments&)) {
  const Json sent = Sent(question);
  Arguments arguments(sent);
  return decode(arguments);
}

std::string Trouble(const Json& question) {
  const auto order = Decode(question, DecodeApplyOrder);
  EXPECT_EQ(order.status().code(), absl::StatusCode::kInvalidArgument);
  return Message(order.status());
}

TEST(ApplyOrderOnTheWire, ComesAsItWentWithoutWhatSetsNothing) {
  const ApplyOrder order = Order();
  const auto came = Decode(ToJson(order), DecodeApplyOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->ports, order.ports);
  EXPECT_EQ(came->confirm_within_ms, 45'000U);
  EXPECT_TRUE(came->allow_one_way);
  EXPECT_TRUE(came->proof);
  EXPECT_TRUE(came->peer_proof);
  EXPECT_EQ(came->requester, order.requester);
  EXPECT_EQ(came->plan_sha256, order.plan_sha256);
  ASSERT_EQ(came->profiles.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(*ProfileContentDigest(came->profiles[i]), *ProfileContentDigest(order.profiles[i]));
    EXPECT_TRUE(came->profiles[i].digest.empty()) << "the applier makes its own";
  }
}

TEST(ApplyOrderOnTheWire, EveryBuiltInProfileFitsIntoAQuestion) {
  for (const std::string& name : BuiltInProfileNames()) {
    ApplyOrder order = Order();
    order.profiles.assign(kMostOrderProfiles, *LoadProfile(name));
    EXPECT_LT(QuestionBody(kApplyVerb, ToJson(order)).size(), kMostQuestionBytes) << name;
  }
}

TEST(ApplyOrderOnTheWire, AProfileThatCannotBeIsRefusedWithItsField) {
  ApplyOrder order = Order();
  order.profiles.front().dscp = 64;
  EXPECT_THAT(Trouble(ToJson(order)), HasSubstr("profile field dscp"));
}

TEST(ApplyOrderOnTheWire, WhatNoCallerAsksForIsRefused) {
  ApplyOrder order = Order();
  order.profiles.clear();
  EXPECT_THAT(Trouble(ToJson(order)), HasSubstr("no profile"));
  order.profiles.assign(kMostOrderProfiles + 1, *LoadProfile("virtual-fabric"));
  EXPECT_THAT(Trouble(ToJson(order)), HasSubstr("too many \"profiles\""));
  order = Order();
  order.ports.assign(kMostOrderPorts + 1, "dcb0");
  EXPECT_THAT(Trouble(ToJson(order)), HasSubstr("too many \"ports\""));
  for (const char* port : {"", "a b", "dcb0\n", "dcb\xc3\xa4"}) {
    order.ports = {port};
    EXPECT_THAT(Trouble(ToJson(order)), HasSubstr("what is no name")) << port;
  }
  Json question = ToJson(Order());
  question["requester"] = "applier";
  EXPECT_THAT(Trouble(question), HasSubstr("the applier's own name"));
  question["requester"] = "a\nb";
  EXPECT_THAT(Trouble(question), HasSubstr("requester"));
  question = ToJson(Order());
  question["plan_sha256"] = "the one I saw";
  EXPECT_THAT(Trouble(question), HasSubstr("plan_sha256"));
  question = ToJson(Order());
  question["profiles"][0]["content"] = "00";
  EXPECT_THAT(Trouble(question), HasSubstr("a profile cannot be read"));
}

// Agents of earlier versions say nothing of a plan.
TEST(ApplyOrderOnTheWire, MayBeOfAnyPlan) {
  ApplyOrder order = Order();
  order.plan_sha256.clear();
  const Json question = ToJson(order);
  EXPECT_FALSE(question.contains("plan_sha256"));
  const auto came = Decode(question, DecodeApplyOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->plan_sha256, "");
}

TEST(ApplyOrderOnTheWire, WantsFilesForTheNextBootOnlyIfItSaysSo) {
  ApplyOrder order = Order();
  EXPECT_FALSE(ToJson(order).contains("persist")) << "an applier of an earlier version does not know it";
  EXPECT_FALSE(Decode(ToJson(order), DecodeApplyOrder)->persist);
  order.persist = true;
  EXPECT_TRUE(Decode(ToJson(order), DecodeApplyOrder)->persist);
  Json question = ToJson(order);
  question["persist"] = "/etc/passwd";
  Trouble(question);
}

// An order has no step, no setting and no value, and nothing that could be taken for one.
TEST(ApplyOrderOnTheWire, AMemberThatIsNoneIsRefused) {
  for (const char* member : {"steps", "plan", "settings", "permission", "state_dir", "files", "path"}) {
    Json question = ToJson(Order());
    question[member] = "x";
    EXPECT_THAT(Trouble(question), HasSubstr("unknown member")) << member;
  }
  for (const char* member :
       {"profiles", "ports", "confirm_within_ms", "allow_one_way", "proof", "peer_proof", "requester"}) {
    Json question = ToJson(Order());
    question.erase(member);
    Trouble(question);
  }
}

TEST(ApplyOrderOnTheWire, WhoAsksIsToldInOneLine) {
  ApplyOrder order = Order();
  order.requester = "eve\nroot: all is well " + std::string(400, 'x');
  const auto came = Decode(ToJson(order), DecodeApplyOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_THAT(came->requester, testing::StartsWith("eve?root: all is well xx"));
  EXPECT_EQ(came->requester.size(), kMostRequesterBytes);
}

TEST(FilesOrderOnTheWire, ComesAsItWentWithoutWhatSetsNothing) {
  const ApplyOrder order = Order();
  const auto came =
      Decode(ToJson(FilesOrder{.profiles = order.profiles, .ports = order.ports}), DecodeFilesOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->ports, order.ports);
  ASSERT_EQ(came->profiles.size(), 2U);
  EXPECT_EQ(*ProfileContentDigest(came->profiles[1]), *ProfileContentDigest(order.profiles[1]));
  EXPECT_TRUE(came->profiles[0].digest.empty()) << "the applier makes its own";
}

std::string FilesTrouble(const Json& question) {
  const auto order = Decode(question, DecodeFilesOrder);
  EXPECT_EQ(order.status().code(), absl::StatusCode::kInvalidArgument);
  return Message(order.status());
}

TEST(FilesOrderOnTheWire, HasTheBoundsOfAnOrder) {
  FilesOrder order{.profiles = {*LoadProfile("virtual-fabric")}, .ports = {"dcb0"}};
  const Json good = ToJson(order);
  order.profiles.clear();
  EXPECT_THAT(FilesTrouble(ToJson(order)), HasSubstr("no profile"));
  order.profiles.assign(kMostOrderProfiles + 1, *LoadProfile("virtual-fabric"));
  EXPECT_THAT(FilesTrouble(ToJson(order)), HasSubstr("too many \"profiles\""));
  order.profiles.resize(1);
  order.ports.assign(kMostOrderPorts + 1, "dcb0");
  EXPECT_THAT(FilesTrouble(ToJson(order)), HasSubstr("too many \"ports\""));
  for (const char* port : {"", "a b", "dcb0\n", "dcb\xc3\xa4"}) {
    order.ports = {port};
    EXPECT_THAT(FilesTrouble(ToJson(order)), HasSubstr("\"ports\" holds")) << port;
  }
  for (const char* content : {"00", "ff", "zz", "0", "0aff"}) {
    Json question = good;
    question["profiles"][0]["content"] = content;
    EXPECT_THAT(FilesTrouble(question), HasSubstr("")) << content;
  }
  for (const char* member : {"path", "files", "steps", "persist", "plan_sha256", "requester"}) {
    Json question = good;
    question[member] = "x";
    EXPECT_THAT(FilesTrouble(question), HasSubstr("unknown member")) << member;
  }
  for (const char* member : {"profiles", "ports"}) {
    Json question = good;
    question.erase(member);
    FilesTrouble(question);
  }
}

TEST(ChangeOrderOnTheWire, NamesOneChangeByItsId) {
  const auto came = Decode(ToJson(ChangeOrder{.change_id = kId, .requester = "bob"}), DecodeChangeOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->change_id, kId);
  EXPECT_EQ(came->requester, "bob");
  for (const char* id : {"", "last", "0123456789abcdef0123456789abcdeF", "../../../etc/passwd............."}) {
    EXPECT_EQ(Decode(ToJson(ChangeOrder{.change_id = id}), DecodeChangeOrder).status().code(),
              absl::StatusCode::kInvalidArgument)
        << id;
  }
}

TEST(ProvedOrderOnTheWire, ComesAsItWentAndIsBounded) {
  const ChangeProof proof{.asked_for = true,
                          .plan_empty = true,
                          .loopback = true,
                          .loopback_text = "9.8 Gb/s",
                          .peer = "host2",
                          .peer_passed = true,
                          .peer_text = "all"};
  const auto came = Decode(ToJson(ProvedOrder{.change_id = kId, .proof = proof}), DecodeProvedOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->proof, proof);
  const ChangeProof endless{.loopback_text = std::string(kMostProofBytes, 'x')};
  EXPECT_EQ(Decode(ToJson(ProvedOrder{.change_id = kId, .proof = endless}), DecodeProvedOrder).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ForgetOrderOnTheWire, NamesObjectsOfKnownKinds) {
  const ForgetOrder order{.objects = {{.kind = SettingKind::kPfc, .where = "dcb0"},
                                      {.kind = SettingKind::kSysctl, .name = "net.ipv4.conf.all.arp_ignore"}},
                          .requester = "bob"};
  const auto came = Decode(ToJson(order), DecodeForgetOrder);
  ASSERT_TRUE(came.ok()) << came.status();
  EXPECT_EQ(came->objects, order.objects);
  const std::vector<SettingObject> impossible{{.kind = SettingKind::kUnknown, .where = "dcb0"},
                                              {.kind = SettingKind::kPfc},
                                              {.kind = SettingKind::kPfc, .where = "a b"}};
  for (const SettingObject& object : impossible) {
    EXPECT_EQ(Decode(ToJson(ForgetOrder{.objects = {object}}), DecodeForgetOrder).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(ApplierAnswers, ComeAsTheyWent) {
  const Change change{.id = kId,
                      .requester = "bob",
                      .begun_unix_ns = 1,
                      .state = ChangeState::kRollbackFailed,
                      .confirm_within_ms = 60'000,
                      .steps = {{.step = {.object = {.kind = SettingKind::kPfc, .where = "dcb0"},
                                          .from = "off delay 0",
                                          .to = "on 3 delay 0"},
                                 .state = StepState::kNotTakenBack,
                                 .text = "No such device"}},
                      .reason = "the device is gone"};
  EXPECT_EQ(*ReadChange(Sent(AnswerOf(change))), change);
  EXPECT_EQ(*ReadProgressOf(*ReadProgressBody(ProgressBody(ProgressOf(change), kApplierProgress.most_bytes),
                                              kApplierProgress.most_bytes)),
            change);
  const ApplierStatus status{
      .changes = {change},
      .kept = {{.object = {.kind = SettingKind::kMtu, .where = "dcb0"}, .value = "9000"}},
      .allowed = {"ports: dcb*"},
      .audit_head = std::string(64, 'a'),
      .notices = {"the journal is damaged: line 3"}};
  EXPECT_EQ(*ReadApplierStatus(Sent(AnswerOf(status))), status);
  EXPECT_EQ(*ReadSettings(Sent(AnswerOf(status.kept))), status.kept);
  const std::vector<BootFile> files{{.path = "/etc/systemd/network/98-rdma-dcb0.link",
                                     .state = BootFileState::kLeft,
                                     .text = "it was edited",
                                     .sha256 = std::string(64, 'b'),
                                     .keeps = {{.kind = SettingKind::kMtu, .where = "dcb0"}}}};
  EXPECT_EQ(*ReadBootFiles(Sent(AnswerOf(files))), files);
  const std::vector<OwnWrite> writes{{.port_id = 7, .sequence = 0xfffffffe}, {.port_id = 0, .sequence = 1}};
  EXPECT_EQ(*ReadOwnWrites(Sent(AnswerOf(writes))), writes);
}

TEST(ApplierAnswers, WhatIsNoneIsOurOwnFailure) {
  for (const char* answer : {"{}", R"({"change": "zz"})", R"({"change": "ff"})", R"({"writes": "00"})",
                             R"({"change": "", "more": 1})"}) {
    const Json json = *recording::ParseObject(answer);
    EXPECT_EQ(ReadChange(json).status().code(), absl::StatusCode::kInternal) << answer;
    EXPECT_EQ(ReadOwnWrites(json).status().code(), absl::StatusCode::kInternal) << answer;
    EXPECT_EQ(ReadBootFiles(json).status().code(), absl::StatusCode::kInternal) << answer;
  }
}

OrderFiles Files(std::size_t count) {
  OrderFiles files{.unkept = {{.subject = "rxe0/1 dcb0", .what = "DSCP 48", .again = "write it again"}}};
  for (std::size_t i = 0; i < count; ++i) {
    files.persist.push_back({.path = "/etc/netplan/90-rdmaready-dcb" + std::to_string(i) + ".yaml",
                             .content = "network:\n  version: 2\n",
                             .note = "made by apply",
                             .exists_already = true,
                             .keeps = {{.kind = SettingKind::kMtu, .where = "dcb0"}},
                             .by_apply = true});
  }
  return files;
}

TEST(FilesOnTheWire, ComeAsTheyWent) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kMostOrderFiles}) {
    const OrderFiles files = Files(count);
    const absl::StatusOr<Json> answer = AnswerOf(files);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(*ReadOrderFiles(Sent(*answer)), files);
  }
}

TEST(FilesOnTheWire, HaveBounds) {
  EXPECT_EQ(AnswerOf(Files(kMostOrderFiles + 1)).status().code(), absl::StatusCode::kResourceExhausted);
  OrderFiles files = Files(1);
  files.persist[0].content = std::string(kMostOrderFilesBytes, 'x');
  EXPECT_EQ(AnswerOf(files).status().code(), absl::StatusCode::kResourceExhausted);
  files = Files(1);
  files.persist[0].keeps.resize(kMostOrderFiles + 1, {.kind = SettingKind::kMtu, .where = "dcb0"});
  EXPECT_EQ(AnswerOf(files).status().code(), absl::StatusCode::kResourceExhausted);
  files = Files(1);
  files.unkept.resize(kMostOrderFiles + 1);
  EXPECT_EQ(AnswerOf(files).status().code(), absl::StatusCode::kResourceExhausted);
}

// An applier is believed as little as a kernel: what is too much, or is not files, is not read.
TEST(FilesOnTheWire, RefuseAHostileApplier) {
  const auto code = [](const Json& answer) { return ReadOrderFiles(answer).status().code(); };
  for (const char* answer :
       {"{}", R"({"plan": 1})", R"({"plan": "zz"})", R"({"plan": "f"})", R"({"plan": "ff"})",
        R"({"plan": "3a05"})", R"({"plan": "", "more": 1})", R"({"files": ""})"}) {
    EXPECT_EQ(code(*recording::ParseObject(answer)), absl::StatusCode::kInternal) << answer;
  }
  const auto many = [](const char* element, std::size_t count) {
    std::string hex;
    for (std::size_t i = 0; i < count; ++i) hex += element;
    return Json{{"plan", hex}};
  };
  // A file (field 7) and an unkept value (field 9) with empty texts.
  const char* file = "3a080a0012001a002000";
  const char* unkept = "4a060a0012001a00";
  EXPECT_TRUE(ReadOrderFiles(many(file, kMostOrderFiles)).ok());
  EXPECT_EQ(code(many(file, kMostOrderFiles + 1)), absl::StatusCode::kInternal);
  EXPECT_TRUE(ReadOrderFiles(many(unkept, kMostOrderFiles)).ok());
  EXPECT_EQ(code(many(unkept, kMostOrderFiles + 1)), absl::StatusCode::kInternal);
  EXPECT_EQ(code(many("3a00", 1)), absl::StatusCode::kInternal) << "a file without a path";
  EXPECT_EQ(code(many("0a00", 1)), absl::StatusCode::kInternal) << "a step is not a file";
  EXPECT_EQ(code({{"plan", std::string(2 * kMostOrderFilesBytes + 2, '0')}}), absl::StatusCode::kInternal);
}

// A change that could not be read is of no state that lets anybody do anything.
TEST(ApplierAnswers, AnEmptyChangeIsUnknown) {
  EXPECT_EQ(ReadChange(*recording::ParseObject(R"({"change": ""})"))->state, ChangeState::kUnknown);
}

}  // namespace
}  // namespace rdmaready::helper
