// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: what a host tells a hub of its live tests, packed or not, and what is found by it.
#include "tests/fuzz/target.h"

#include <google/protobuf/stubs/logging.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/convert/records.h"
#include "checks/live/own_past.h"
#include "hub/ingest/past.h"
#include "hub/ingest/unpack.h"
#include "rdmaready/v1/ingest.pb.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNow = 1'795'000'000'000'000'000;  // 2026
constexpr std::int64_t kDay = 86'400'000'000'000;

void Demand(bool holds) {
  if (!holds) std::abort();
}

// Each is within what any port can have, and nothing that is slower, old or unknown passes.
void Tests(std::string_view plain) {
  const auto tests = hub::ParsePast(plain);
  if (!tests.ok()) return Demand(!tests.status().message().empty());
  Demand(tests->size() <= kMostPastTests);
  bool slower = false;
  for (const CaseBaseline& test : *tests) {
    Demand(IsPlausible(test));
    const PastState state = PastStateOf(test, false, kNow);
    Demand(PastStateOf(test, true, kNow) == PastState::kSoftware);
    slower = slower || (state == PastState::kSlower && test.role == "loopback");
    Demand(state != PastState::kSlower || test.last_bytes_per_s < test.p10_bytes_per_s);
  }
  const Finding finding = JudgeKeptPast(*tests, {.rung = Rung::kLoopback, .subject = "p"}, kNow);
  Demand(!finding.blocking && finding.outcome != Outcome::kFail && !finding.observed.empty());
  Demand((finding.outcome == Outcome::kWarn) == slower);
  if (tests->empty()) Demand(finding.outcome == Outcome::kUnknown);
}

void Whole(std::string_view packed) {
  if (const auto plain = hub::Unpack(packed, 1 + packed.size(), hub::kPastLimits); plain.ok()) Tests(*plain);
  Demand(!hub::ReadPast(packed, 1 + packed.size(), "").ok());
}

std::string Message(const std::vector<CaseBaseline>& tests) {
  v1::Past message;
  for (const CaseBaseline& test : tests) *message.add_tests() = ToProto(test);
  message.set_remembered(static_cast<std::uint32_t>(tests.size()));
  return message.SerializeAsString();
}

CaseBaseline SeedTest(const std::string& test, std::uint64_t rate) {
  return {.port = "mlx5_0/1",
          .case_name = test,
          .role = "loopback",
          .last_bytes_per_s = rate,
          .last_unix_ns = kNow - kDay,
          .days = 30,
          .p10_bytes_per_s = 96,
          .p50_bytes_per_s = 97,
          .latency_p99_ns = 5,
          .days_kept = 91,
          .first_unix_ns = kNow - 90 * kDay,
          .changed_unix_ns = kNow - kDay,
          .before_bytes_per_s = 97,
          .before_days = 90};
}

std::vector<std::uint8_t> Seed(std::uint8_t which, std::string_view text) {
  std::vector<std::uint8_t> seed{which};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  google::protobuf::SetLogHandler(nullptr);  // a line for each text that is no UTF-8
  CaseBaseline peer = SeedTest("read-512k", 50);
  peer.role = "initiator";
  peer.peer = "node2";
  return {Seed(0, Message({SeedTest("write-512k", 13)})),
          Seed(0, Message({SeedTest("write-512k", 96), SeedTest("send-1k", 97), peer})), Seed(0, Message({})),
          Seed(1, std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rdmaready;
  if (size == 0 || size > kMaxInputBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    Tests(text);
  } else {
    Whole(text);
  }
  return 0;
}
