// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/recording/recorded_host.h"
#include "tests/unit/collectors/recording/sealed.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

// As it comes back from the files.
RecordedHost Again(const Recording& recording) {
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(recording);
  absl::StatusOr<Recording> decoded = DecodeRecording(*files);
  if (!decoded.ok()) ADD_FAILURE() << Message(decoded.status());
  return RecordedHost(decoded.ok() ? *std::move(decoded) : Recording());
}

TEST(Replay, ARecordedHostGivesTheSameFacts) {
  FakeHost host = GoodFakeHost();
  const Facts live = CollectFacts(host);
  RecordedHost again = Again(RecordFacts(host));
  EXPECT_EQ(CollectFacts(again), live);
}

TEST(Replay, RecordingChangesNoAnswer) {
  FakeHost host = GoodFakeHost();
  const Facts live = CollectFacts(host);
  RecordingHost recorder(host);
  EXPECT_EQ(CollectFacts(recorder), live);
}

TEST(Replay, AHostWithNothingButErrorsGivesTheSameGaps) {
  FakeHost host;
  host.directories["/sys/class/infiniband"] = ErrnoStatus(EACCES, "list /sys/class/infiniband");
  const Facts live = CollectFacts(host);
  RecordedHost again = Again(RecordFacts(host));
  const Facts replayed = CollectFacts(again);
  EXPECT_EQ(replayed, live);
  EXPECT_EQ(replayed.rdma_stack.missing().kind, Missing::Kind::kDenied);
}

TEST(Replay, ErrorsKeepTheirCodeAndTheirText) {
  for (const int error : {ENOENT, EACCES, EOPNOTSUPP, EINVAL, ENOMEM, EBUSY, ETIMEDOUT, EINTR, EIO}) {
    FakeHost host;
    host.files["/proc/x"] = ErrnoStatus(error, "read /proc/x");
    RecordingHost recorder(host);
    const absl::Status live = recorder.ReadFile("/proc/x").status();
    RecordedHost again = Again(recorder.Take());
    EXPECT_EQ(again.ReadFile("/proc/x").status(), live);
  }
}

TEST(Replay, AnAbsentFileStaysAbsentAndOneThatNobodyAskedForDoesNotBecomeAbsent) {
  FakeHost host;
  RecordingHost recorder(host);
  static_cast<void>(recorder.ReadFile("/sys/absent"));
  Recording recording = recorder.Take();
  recording.rdmaready = "0.0.9";
  RecordedHost again = Again(recording);
  EXPECT_EQ(again.ReadFile("/sys/absent").status().code(), absl::StatusCode::kNotFound);
  const Missing gap = MissingFrom(again.ReadFile("/sys/new").status());
  EXPECT_EQ(gap.kind, Missing::Kind::kNotCollected);
  EXPECT_EQ(gap.detail, "read /sys/new: not in the recording (made by rdmaready 0.0.9)");
}

template <class... Kinds>
std::vector<Question> OneOfEachKind(KindList<Kinds...>) {
  return {Question(Kinds())...};
}

TEST(Replay, EveryQuestionThatNobodyAskedIsNotCollected) {
  RecordedHost host{Recording()};
  for (const Question& question : OneOfEachKind(QuestionKinds())) {
    const Answer answer = host.Ask(question);
    EXPECT_EQ(MissingFrom(answer.status()).kind, Missing::Kind::kNotCollected);
    EXPECT_THAT(Message(answer.status()), HasSubstr("not in the recording"));
  }
}

TEST(Replay, EveryKindOfQuestionComesBackAndIsFoundAgain) {
  Recording recording;
  for (const Question& question : OneOfEachKind(QuestionKinds())) {
    recording.answers.Add(question, absl::PermissionDeniedError("no"));
    recording.answers.Add(question, AnswerBy(question, []<class Kind>(const Kind&) {
                            return absl::StatusOr<typename Kind::Answer>(typename Kind::Answer());
                          }));
  }
  RecordedHost again = Again(recording);
  for (const auto& [question, answers] : recording.answers.entries()) {
    for (const AnswerLog::Run& run : answers.runs) {
      const Answer answer = again.Ask(question);
      EXPECT_EQ(answer.status(), run.answer.status());
      if (run.answer.ok()) {
        EXPECT_EQ(*answer, *run.answer);
      }
    }
  }
}

TEST(Replay, DatagramsComeBackByTheirQuestion) {
  const MadRequest lid{.device = "mlx5_0", .port = 1, .lid = 4, .mad = {std::byte{1}, std::byte{2}}};
  MadRequest other = lid;
  other.lid = 5;
  FakeHost host;
  host.mads[lid] = std::vector<std::byte>{std::byte{7}};
  host.mads[other] = ErrnoStatus(ETIMEDOUT, "ask the management agent of mlx5_0/1");
  RecordingHost recorder(host);
  static_cast<void>(recorder.Ask(lid));
  static_cast<void>(recorder.Ask(other));
  RecordedHost again = Again(recorder.Take());
  EXPECT_EQ(*again.Ask(lid), host.mads[lid].value());
  EXPECT_EQ(again.Ask(other).status(), host.mads[other].status());
}

TEST(Replay, AnswersOfLldpadComeBackByTheirQuestion) {
  FakeHost host;
  host.lldpad["one"] = std::string("R00\xff");
  host.lldpad["other"] = ErrnoStatus(ETIMEDOUT, "ask lldpad");
  RecordingHost recorder(host);
  static_cast<void>(recorder.Ask(LldpadQuestion{"one"}));
  static_cast<void>(recorder.Ask(LldpadQuestion{"other"}));
  RecordedHost again = Again(recorder.Take());
  EXPECT_EQ(*again.Ask(LldpadQuestion{"one"}), "R00\xff");
  EXPECT_EQ(again.Ask(LldpadQuestion{"other"}).status(), host.lldpad["other"].status());
}

TEST(Replay, AnnouncementsOfDcbWritesComeBack) {
  FakeHost host;
  host.dcb_notices = DcbNotices{.listened_ms = 35'000,
                                .lost = true,
                                .residents = {{612, "lldpad"}},
                                .notices = {{.type = 79,
                                             .sequence = 7,
                                             .at_ms = 100,
                                             .payload = wire::FullDcb("dcb0"),
                                             .newcomers = {{712, "d\xff"}, {713, ""}}}}};
  RecordingHost recorder(host);
  EXPECT_EQ(*recorder.Ask(DcbNoticesQuestion()), *host.dcb_notices);
  RecordedHost again = Again(recorder.Take());
  EXPECT_EQ(*again.Ask(DcbNoticesQuestion()), *host.dcb_notices);
  host.dcb_notices = ErrnoStatus(EPERM, "listen for DCB");
  RecordingHost refused(host);
  static_cast<void>(refused.Ask(DcbNoticesQuestion()));
  EXPECT_EQ(Again(refused.Take()).Ask(DcbNoticesQuestion()).status(), host.dcb_notices.status());
}

TEST(Replay, AnEmptyRecordingIsAllGaps) {
  RecordedHost host{Recording()};
  const Facts facts = CollectFacts(host);
  EXPECT_EQ(facts.rdma_stack.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_EQ(facts.ports.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_EQ(facts.kernel.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_EQ(facts.memlock.missing().kind, Missing::Kind::kNotCollected);
}

TEST(Replay, ALinkThatWasRenamedMeanwhileIsRenamedAgain) {
  FakeHost host = GoodFakeHost();
  FakeHost same = host;
  for (FakeHost* one : {&host, &same}) {
    // The list of all links still has the old name; who asks for this one afterwards sees the new one.
    one->Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "dcb1", 9000)));
  }
  const Facts live = CollectFacts(host);
  ASSERT_THAT(live.ports->front().netdev.missing().detail, HasSubstr("renamed to dcb1"));
  RecordedHost again = Again(RecordFacts(same));
  EXPECT_EQ(CollectFacts(again), live);
}

TEST(Replay, AnswersComeInTheirOrderAndTheLastOneStays) {
  FakeHost host;
  const NetlinkRequest request = wire::LinkRequest(1);
  host.Answer(request, wire::One(wire::Link(1, "a", 1)));
  host.ThenAnswer(request, wire::One(wire::Link(1, "a", 1)));
  host.ThenAnswer(request, ErrnoStatus(ENODEV, "gone"));
  host.ThenAnswer(request, wire::One(wire::Link(1, "a", 1)));
  RecordingHost recorder(host);
  std::vector<bool> live;
  for (int i = 0; i < 4; ++i) live.push_back(recorder.Netlink(request).ok());
  ASSERT_THAT(live, testing::ElementsAre(true, true, false, true));
  RecordedHost again = Again(recorder.Take());
  for (const bool ok : live) EXPECT_EQ(again.Netlink(request).ok(), ok);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(again.Netlink(request).ok());
}

TEST(Replay, EveryByteOfEveryAnswerComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  FakeHost host;
  host.files["/plain"] = bytes;
  host.files["/odd \xff name"] = bytes;
  host.files["/a/../b"] = std::string("not outside");
  host.files["/a//b"] = std::string("an empty part");
  host.files["relative"] = std::string("not absolute");
  host.files["/dir"] = std::string("a file");
  host.files["/dir/below"] = std::string("that is also a folder");
  host.files["/" + std::string(300, 'x')] = std::string("longer than a file name may be");
  host.directories["/plain"] = std::vector<std::string>{"a", bytes, ""};
  host.links["/plain"] = bytes;
  host.gid_tables["a/b"] =
      std::vector<VerbsGid>{{.port = 2, .index = 3, .raw = {1, 0xff}, .type = 2, .ifindex = 9}};
  const VerbsDeviceAnswer limits{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  host.verbs_devices["x"] = limits;
  host.verbs_ports[{"x", 3}] = VerbsPortAnswer{1, 2, 3, 4, 5};
  host.cm_defaults[{"x", 3}] = RdmaCmAnswer{bytes, ""};
  host.ethtool[{"eth0", 3}] = wire::Of(std::uint64_t{0x0102030405060708});
  host.memlock = MemlockAnswer{Memlock::kUnlimited, true, 4'000'000'000};
  RecordingHost recorder(host);
  for (const auto& [path, text] : host.files) static_cast<void>(recorder.ReadFile(path));
  static_cast<void>(recorder.ListDirectory("/plain"));
  static_cast<void>(recorder.ReadLink("/plain"));
  static_cast<void>(recorder.Ask(VerbsGidTableQuestion{"a/b"}));
  static_cast<void>(recorder.Ask(VerbsPortQuestion{"x", 3}));
  static_cast<void>(recorder.Ask(VerbsDeviceQuestion{"x"}));
  static_cast<void>(recorder.FindLines("/plain", {bytes.substr(0, 3), "xyz"}));
  static_cast<void>(recorder.Ask(RdmaCmQuestion{"x", 3}));
  static_cast<void>(recorder.Ethtool("eth0", wire::Of(std::uint32_t{3})));
  static_cast<void>(recorder.Ask(MemlockQuestion()));
  RecordedHost again = Again(recorder.Take());
  for (const auto& [path, text] : host.files) EXPECT_EQ(again.ReadFile(path).value(), text.value()) << path;
  EXPECT_EQ(again.ListDirectory("/plain").value(), host.directories["/plain"].value());
  EXPECT_EQ(again.ReadLink("/plain").value(), bytes);
  EXPECT_EQ(again.Ask(VerbsGidTableQuestion{"a/b"}).value(), host.gid_tables["a/b"].value());
  EXPECT_EQ(again.Ask(VerbsPortQuestion{"x", 3}).value(), (VerbsPortAnswer{1, 2, 3, 4, 5}));
  EXPECT_EQ(again.Ask(VerbsDeviceQuestion{"x"}).value(), limits);
  EXPECT_EQ(again.FindLines("/plain", {bytes.substr(0, 3), "xyz"}).value(),
            host.FindLines("/plain", {bytes.substr(0, 3), "xyz"}).value());
  EXPECT_FALSE(again.FindLines("/plain", {"xyz"}).ok());
  EXPECT_EQ(again.Ask(RdmaCmQuestion{"x", 3}).value(), (RdmaCmAnswer{bytes, ""}));
  EXPECT_EQ(again.Ethtool("eth0", wire::Of(std::uint32_t{3})).value(),
            wire::Of(std::uint64_t{0x0102030405060708}));
  EXPECT_EQ(again.Ask(MemlockQuestion()).value(), host.memlock.value());
}

TEST(Replay, AnAnswerThatIsTooLargeIsAGapAndNotAnotherAnswer) {
  FakeHost host;
  host.files["/large"] = std::string("small");
  RecordingHost recorder(host);
  static_cast<void>(recorder.ReadFile("/large"));
  host.files["/large"] = std::string(kMaxAnswerBytes + 1, 'x');
  EXPECT_EQ(recorder.ReadFile("/large")->size(), kMaxAnswerBytes + 1);  // the caller gets all of it
  RecordedHost again = Again(recorder.Take());
  EXPECT_EQ(again.ReadFile("/large").value(), "small");
  const Missing gap = MissingFrom(again.ReadFile("/large").status());
  EXPECT_EQ(gap.kind, Missing::Kind::kNotCollected);
  EXPECT_THAT(gap.detail, HasSubstr("too large"));
}

TEST(Replay, ARecordingStaysWithinItsBounds) {
  FakeHost host;
  RecordingHost recorder(host);
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/" + std::to_string(i);
    host.files[path] = std::string(kMaxAnswerBytes, 'x');
    static_cast<void>(recorder.ReadFile(path));
  }
  for (std::size_t i = 0; i < kMaxRecordedAnswers; ++i) {
    static_cast<void>(recorder.ReadFile("/absent" + std::to_string(i)));
  }
  const absl::StatusOr<RecordingFiles> files = EncodeRecording(recorder.Take());
  std::size_t bytes = 0;
  for (const auto& [path, text] : *files) bytes += text.size();
  EXPECT_LT(bytes, kMaxRecordingFolderBytes);
  EXPECT_TRUE(DecodeRecording(*files).ok());
}

}  // namespace
}  // namespace rdmaready
