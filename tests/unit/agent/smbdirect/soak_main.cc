// SPDX-License-Identifier: Apache-2.0
// smbdirect_soak [MESSAGES [SEED [SECONDS]]]: the credit soak, and the processor time it may take (0: any): it
// has one thread, and on a busy machine the clock on the wall would judge the others.
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "tests/unit/agent/smbdirect/soak.h"

namespace {

std::uint64_t Argument(int count, char** values, int index, std::uint64_t otherwise) {
  return count > index ? std::strtoull(values[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t messages = Argument(argc, argv, 1, 1'000'000);
  const std::uint64_t seed = Argument(argc, argv, 2, 1);
  const std::uint64_t limit_s = Argument(argc, argv, 3, 0);
  const auto start = std::chrono::steady_clock::now();
  const rdmaready::smbdirect::SoakOutcome outcome = rdmaready::smbdirect::RunSoak(seed, messages);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const double processor_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  std::cout << outcome.messages << " messages in " << outcome.sessions << " sessions, " << outcome.payload_bytes
            << " bytes, " << outcome.wire_messages << " on the wire, " << outcome.empty_messages
            << " of them empty, " << outcome.keepalives << " keepalives, credits added up " << outcome.silences
            << " times, " << took.count() << " s, " << processor_s << " s of processor time\n";
  if (!outcome.failure.empty()) {
    std::cout << "failed: " << outcome.failure << '\n';
    return 1;
  }
  if (limit_s != 0 && processor_s > static_cast<double>(limit_s)) {
    std::cout << "failed: it took longer than " << limit_s << " s\n";
    return 1;
  }
  return 0;
}
