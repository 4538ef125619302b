// SPDX-License-Identifier: Apache-2.0
// Fuzzes orders to the pauser, its answers, and root's file of interfaces.
#include "tests/fuzz/target.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/helper/pauser/bursts.h"
#include "agent/helper/pauser/order.h"
#include "agent/helper/pauser/pause_budget.h"
#include "agent/helper/pauser/pauses_file.h"

namespace rdmaready {
namespace {

using helper::Arguments;

void Demand(bool holds) {
  if (!holds) std::abort();
}

// No order that decodes exceeds a bound of the test.
void Order(std::string_view text) {
  const auto json = recording::ParseObject(text);
  if (!json.ok()) return;
  Arguments arguments(*json);
  const auto order = helper::DecodePauseOrder(arguments);
  if (!order.ok()) return;
  Demand(order->priority < 8);
  Demand(order->burst >= helper::kLeastBurst && order->burst <= helper::kMostBurst);
  Demand(order->bursts > 0 && order->burst * order->bursts <= helper::kMostPausePerHour);
  Demand(order->gap >= order->burst && order->gap <= std::chrono::seconds(1));
  Demand(!order->netdev.empty() && order->netdev.size() < 16);
  Demand(order->netdev.find_first_of("/ \n") == order->netdev.npos && order->netdev != "..");
  Demand(order->requester.find_first_of("\n\"\\") == order->requester.npos);
}

void ReadSent(std::string_view text) {
  const auto answer = helper::ReadAnswerBody(text);
  if (!answer.ok()) return;
  const auto sent = helper::ReadPausesSent(*answer);
  if (sent.ok()) Demand(helper::ReadPausesSent(helper::ToJson(*sent)) == sent);
}

void File(std::string_view text) {
  const auto rules = helper::ParsePausesFile(text, "p.yaml");
  if (!rules.ok()) return Demand(rules.status().message().substr(0, 7) == "p.yaml:");
  for (const auto& patterns : {rules->ports, rules->direct})
    Demand(
        std::ranges::none_of(patterns, [](const std::string& one) { return one.empty() || one.size() > 64; }));
}

constexpr void (*kDecoders[])(std::string_view) = {Order, ReadSent, File};

std::vector<std::uint8_t> Seed(std::uint8_t decoder, std::string_view text) {
  std::vector<std::uint8_t> seed{decoder};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const helper::PauseOrder order{.netdev = "ens1f0",
                                 .priority = 3,
                                 .burst = helper::kMostBurst,
                                 .bursts = 10,
                                 .gap = helper::kMostBurst,
                                 .requester = "ann"};
  const helper::PausesSent sent{
      .driver = "mlx5_core", .bursts = {{3, std::chrono::microseconds(99'000), true}}, .failure = "stopped"};
  return {Seed(0, helper::Text(helper::ToJson(order))), Seed(1, helper::AnswerBody(helper::ToJson(sent))),
          Seed(2, "ports: [\"ens1f*\"]\ndirect: [ens1f0]\n")};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](rest);
  return 0;
}
