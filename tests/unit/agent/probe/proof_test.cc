// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/link/failure.h"
#include "agent/link/pacer.h"
#include "agent/probe/nfs/nfs_proof.h"
#include "agent/probe/nvme/nvme_kernel.h"
#include "agent/probe/nvme/nvme_sysfs.h"
#include "agent/probe/walk.h"
#include "api/base/status.h"
#include "tests/support/fake_clock.h"

namespace rdmaready {
namespace {

// Moves the clock for whoever sleeps by it, until it is destroyed.
class MovedClock {
 public:
  explicit MovedClock(FakeClock& clock)
      : mover_([&clock](const std::stop_token& done) {
          while (!done.stop_requested()) {
            clock.Advance(std::chrono::milliseconds(1));
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          }
        }) {}

 private:
  std::jthread mover_;
};

TEST(ProofPace, OperationsInProductionWaitForTheirTurnWhichIsNotTimed) {
  FakeClock clock;
  ProbeResult probe{.steps = {{.name = "read"}}};
  constexpr std::uint32_t kBlock = 4096;
  Walk walk(probe, {.deadline = clock.Now() + std::chrono::hours(1),
                    .clock = &clock,
                    .limit_bytes_per_s = WireBytesOf(kBlock) * 10});  // one in 100 ms
  TransferResult result;
  const Clock::TimePoint begin = clock.Now();
  const MovedClock moved(clock);
  EXPECT_TRUE(walk.Step("read", std::chrono::minutes(30), [&](const Patience& patience) {
    ProofMeter meter(result, "read", Operation::kRead, kBlock, *patience.clock, patience.pace);
    for (int i = 0; i < 6; ++i) RR_RETURN_IF_ERROR(meter.Time([] { return absl::OkStatus(); }));
    meter.Finish(absl::OkStatus());
    return absl::OkStatus();
  }));
  EXPECT_EQ(result.messages, 6u);
  EXPECT_GE(clock.Now() - begin, std::chrono::milliseconds(500));
  EXPECT_LT(result.elapsed_ns, 400'000'000);
}

TEST(ProofPace, AnOperationThatIsTooLargeForTheLimitIsNotMade) {
  FakeClock clock;
  ProbeResult probe{.steps = {{.name = "read"}}};
  Walk walk(probe, {.deadline = clock.Now() + std::chrono::hours(1),
                    .clock = &clock,
                    .limit_bytes_per_s = WireBytesOf(4096) * 5 - 1});
  TransferResult result;
  EXPECT_FALSE(walk.Step("read", std::chrono::minutes(30), [&](const Patience& patience) {
    ProofMeter meter(result, "read", Operation::kRead, 4096, *patience.clock, patience.pace);
    return meter.Time([] { return absl::OkStatus(); });
  }));
  EXPECT_EQ(result.messages, 0u);
  EXPECT_EQ(probe.steps[0].failure.kind, FailureKind::kCancelled);
  EXPECT_THAT(probe.steps[0].failure.detail, testing::HasSubstr("too large"));
}

TEST(ProofPace, AnInterruptedProofDoesNotWaitForItsTurn) {
  FakeClock clock;
  ProbeResult probe{.steps = {{.name = "read"}}};
  bool over = false;
  Walk walk(probe, {.deadline = clock.Now() + std::chrono::hours(1),
                    .interrupted = [&] { return over ? absl::CancelledError("gone") : absl::OkStatus(); },
                    .clock = &clock,
                    .limit_bytes_per_s = WireBytesOf(1) * 5});
  EXPECT_FALSE(walk.Step("read", std::chrono::minutes(30), [&](const Patience& patience) {
    RR_RETURN_IF_ERROR(patience.pace(1));
    over = true;
    return patience.pace(1);
  }));
  EXPECT_EQ(probe.steps[0].failure.kind, FailureKind::kCancelled);
}

TEST(ProofReading, SourceThatChangesOnceIsReadAgain) {
  FakeClock clock;
  TransferResult result;
  ProofMeter meter(result, "nvme-read", Operation::kRead, 16, clock);
  std::vector<std::byte> first(16), second(16);
  int reading = 0;
  const absl::Status status = ReadTwice(
      {first, second},
      [&](int buffer) {
        clock.Advance(std::chrono::microseconds(5));
        const auto value = static_cast<std::byte>(++reading == 1 ? 1 : 2);
        std::ranges::fill(buffer == 0 ? first : second, value);
        return absl::OkStatus();
      },
      meter);
  meter.Finish(status);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(reading, 3);
  EXPECT_EQ(result.messages, 3u);
  EXPECT_EQ(result.bytes_verified, 32u);
  EXPECT_EQ(result.bytes_wrong, 0u);
  EXPECT_EQ(result.latency.p50_ns, 5'000);
}

TEST(ProofReading, SourceThatWritesNothingIsFoundOut) {
  FakeClock clock;
  TransferResult result;
  ProofMeter meter(result, "nvme-read", Operation::kRead, 64, clock);
  std::vector<std::byte> first(64), second(64);
  const absl::Status status = ReadTwice(
      {first, second}, [](int) { return absl::OkStatus(); }, meter);
  meter.Finish(status);
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_GT(result.bytes_wrong, 0u);
}

TEST(ProofReading, FailureOfTheSourceIsTheResults) {
  FakeClock clock;
  TransferResult result;
  ProofMeter meter(result, "nvme-read", Operation::kRead, 8, clock);
  std::vector<std::byte> first(8), second(8);
  const absl::Status status = ReadTwice(
      {first, second}, [](int) { return MakeFailure(FailureKind::kCompletion, "read: gone"); }, meter);
  meter.Finish(status);
  EXPECT_EQ(result.failure, (Failure{FailureKind::kCompletion, "read: gone"}));
  EXPECT_EQ(result.bytes, 0u);
}

TEST(NvmeKernel, OptionsNameOneQueueAndNoReconnecting) {
  nvme::Identity identity{.host_name = "nqn.host"};
  identity.host_id[0] = std::byte{0xab};
  EXPECT_EQ(nvme::KernelOptions({"10.0.0.2", 4420}, "10.0.0.1", identity, "nqn.sub", 4711),
            "transport=rdma,traddr=10.0.0.2,trsvcid=4420,nqn=nqn.sub,hostnqn=nqn.host,"
            "hostid=ab000000-0000-0000-0000-000000000000,nr_io_queues=1,ctrl_loss_tmo=0,reconnect_delay=4711,"
            "host_traddr=10.0.0.1");
}

TEST(NvmeKernel, BlockDeviceOfAPathIsThatOfAllPaths) {
  EXPECT_EQ(nvme::BlockDeviceOf("nvme0n1"), "nvme0n1");
  EXPECT_EQ(nvme::BlockDeviceOf("nvme12c3n45"), "nvme12n45");
  for (const char* other : {"nvme0", "ng0n1", "nvme0n", "nvme0c1", "nvme0n1p1", "nvmen1", "power", "nvme0cn1"})
    EXPECT_EQ(nvme::BlockDeviceOf(other), "") << other;
}

// A /sys with nvme0 (PCIe) of one subsystem, and nvme1 and nvme12 of another.
std::string FakeSys() {
  const std::string sys = testing::TempDir() + "nvme-sys";
  std::filesystem::remove_all(sys);
  const auto add = [&](const std::string& controller, const std::string& subsystem, const std::string& name) {
    std::filesystem::create_directories(sys + "/class/nvme/" + controller);
    std::ofstream(sys + "/class/nvme/" + controller + "/subsysnqn") << name << "\n";
    std::filesystem::create_directories(sys + "/class/nvme-subsystem/" + subsystem + "/" + controller);
  };
  add("nvme0", "nvme-subsys0", "nqn.local");
  add("nvme1", "nvme-subsys1", "nqn.remote");
  add("nvme12", "nvme-subsys1", "nqn.remote");
  std::filesystem::create_directories(sys + "/class/nvme-subsystem/nvme-subsys1/nvme1n1");
  return sys;
}

TEST(NvmeSysfs, FindsEveryControllerOfASubsystem) {
  const std::string sys = FakeSys();
  using Names = std::vector<std::string>;
  EXPECT_EQ(nvme::Controllers(sys), (Names{"nvme0", "nvme1", "nvme12"}));
  EXPECT_EQ(nvme::ControllersOf("nqn.remote", sys), (Names{"nvme1", "nvme12"}));
  EXPECT_EQ(nvme::ControllersOf("nqn.rem", sys), Names{}) << "a name is the whole of it";
  EXPECT_EQ(nvme::PathsBeside("nvme12", sys), (Names{"nvme1", "nvme12"}));
  EXPECT_EQ(nvme::PathsBeside("nvme0", sys), Names{"nvme0"});
  EXPECT_EQ(nvme::PathsBeside("nvme7", sys), Names{});
  EXPECT_EQ(nvme::Controllers("/nowhere"), Names{});
}

TEST(NvmeKernel, PathBesideAnotherIsNotOurs) {
  EXPECT_TRUE(nvme::IsAlone("nvme3", {"nvme3"}).ok());
  const Failure shared = FailureOf(nvme::IsAlone("nvme3", {"nvme0", "nvme3"}));
  EXPECT_EQ(shared.kind, FailureKind::kSetup);
  EXPECT_NE(shared.detail.find("nvme0, nvme3 share a block device"), std::string::npos) << shared.detail;
  EXPECT_FALSE(nvme::IsAlone("nvme3", {}).ok()) << "what the kernel does not tell is not taken for well";
}

TEST(NvmeKernel, AnswerNamesTheController) {
  EXPECT_EQ(nvme::ControllerIn("instance=3,cntlid=1\n"), "nvme3");
  for (const char* other : {"", "instance=", "cntlid=1,instance=3"}) EXPECT_EQ(nvme::ControllerIn(other), "");
}

TEST(NvmeIdentity, IsTheHostsOwnWhereItHasOne) {
  const std::string folder = testing::TempDir() + "nvme";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/hostnqn")
      << "nqn.2014-08.org.nvmexpress:uuid:00112233-4455-6677-8899-aabbccddeeff\n";
  std::filesystem::remove(folder + "/hostid");
  const nvme::Identity by_name = nvme::ReadIdentity(folder);
  EXPECT_EQ(by_name.source, folder + "/hostnqn");
  EXPECT_EQ(nvme::HostIdText(by_name.host_id), "00112233-4455-6677-8899-aabbccddeeff");
  std::ofstream(folder + "/hostid") << "ffffffff-4455-6677-8899-aabbccddeeff\n";
  EXPECT_EQ(nvme::HostIdText(nvme::ReadIdentity(folder).host_id), "ffffffff-4455-6677-8899-aabbccddeeff");
  std::ofstream(folder + "/hostnqn") << "nqn.x,ctrl_loss_tmo=-1\n";
  EXPECT_EQ(nvme::ReadIdentity(folder).source, "made for this probe") << "no option gets in by a name";
  EXPECT_NE(nvme::ReadIdentity("/nowhere").host_name, nvme::ReadIdentity("/nowhere").host_name);
}

TEST(NfsProof, OptionsNameRdmaAndGiveUpInTime) {
  EXPECT_EQ(NfsMountOptions("10.0.0.2", "10.0.0.1", 20049, "4.2"),
            "vers=4.2,proto=rdma,port=20049,addr=10.0.0.2,soft,timeo=50,retrans=1,sec=sys,nosharecache,"
            "clientaddr=10.0.0.1");
  EXPECT_EQ(NfsMountOptions("10.0.0.2", "", 20049, "3"),
            "vers=3,proto=rdma,port=20049,addr=10.0.0.2,soft,timeo=50,retrans=1,sec=sys,nosharecache,nolock");
}

// As Linux 6.12 prints it.
constexpr std::string_view kStats =
    "device proc mounted on /proc with fstype proc\n"
    "device 10.0.0.9:/ mounted on /srv with fstype nfs4 statvers=1.1\n"
    "\txprt:\ttcp 940 0 1 0 0 14 14 0 14 0 2 0 0\n"
    "device 10.0.0.2:/ mounted on /mnt with fstype nfs4 statvers=1.1\n"
    "\topts:\trw,vers=4.2\n"
    "\txprt:\trdma 0 0 1 0 0 14 14 0 14 0 0 0 2 8480 200 0 0 29876 0 0 0 0 0 11 0 0 0\n"
    "\tper-op statistics\n";

TEST(NfsProof, CountersAreThoseOfTheMount) {
  EXPECT_EQ(ParseMountStats(kStats, "/mnt"),
            (NfsTransport{.protocol = "rdma", .rdma_request_bytes = 8480, .rdma_reply_bytes = 200}));
  EXPECT_EQ(ParseMountStats(kStats, "/srv"), (NfsTransport{.protocol = "tcp"}));
  EXPECT_FALSE(ParseMountStats(kStats, "/proc"));
  EXPECT_FALSE(ParseMountStats("", "/mnt"));
}

TEST(NfsProof, MountThatCoversAnotherIsTheOneThatCounts) {
  const std::string covered = std::string("device 10.0.0.9:/old mounted on /mnt with fstype nfs\n") +
                              "\txprt:\ttcp 940 0 1 0 0 14 14 0 14 0 2 0 0\n" + std::string(kStats);
  EXPECT_EQ(ParseMountStats(covered, "/mnt"), ParseMountStats(kStats, "/mnt"));
  EXPECT_FALSE(ParseMountStats(covered + "device x mounted on /mnt with fstype nfs4\n", "/mnt"))
      << "the one below does not stand for it";
}

TEST(NfsProof, OnlyWhatWasCountedMeanwhileCounts) {
  const NfsTransport before{.protocol = "rdma", .rdma_request_bytes = 1000, .rdma_reply_bytes = 70};
  EXPECT_EQ(Since(before, {.protocol = "rdma", .rdma_request_bytes = 1500, .rdma_reply_bytes = 70}),
            (NfsTransport{.protocol = "rdma", .rdma_request_bytes = 500, .rdma_reply_bytes = 0}));
  EXPECT_EQ(Since(before, {.protocol = "rdma", .rdma_request_bytes = 20, .rdma_reply_bytes = 90}),
            (NfsTransport{.protocol = "rdma", .rdma_request_bytes = 20, .rdma_reply_bytes = 20}))
      << "a transport made anew counts from zero";
  EXPECT_EQ(Since(before, {.protocol = "tcp"}), (NfsTransport{.protocol = "tcp"}));
}

TEST(NfsProof, MountFailuresAreTheirsWhoCauseThem) {
  EXPECT_EQ(KindOfMountFailure(EACCES), FailureKind::kRejected);
  EXPECT_EQ(KindOfMountFailure(ETIMEDOUT), FailureKind::kUnreachable);
  EXPECT_EQ(KindOfMountFailure(EPROTONOSUPPORT), FailureKind::kSetup) << "our kernel has no such transport";
  EXPECT_EQ(KindOfMountFailure(EIO), FailureKind::kCompletion);
}

}  // namespace
}  // namespace rdmaready
