// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/users.h"

#include <algorithm>
#include <string>

#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string ListenerText(const RdmaListener& listener) {
  const std::string who = !listener.kernel_name.empty() ? listener.kernel_name
                          : listener.pid > 0            ? Cat("process ", listener.pid)
                                                        : std::string("a process");
  return Cat(Printable(who), " listens on port ", listener.port);
}

// Each RDMA port of a device has one queue pair of the kernel's own, InfiniBand's two: for its management.
std::uint64_t KernelsQueuePairs(const Facts& host, const Port& port) {
  std::uint64_t own = 0;
  for (const Port& other : *host.ports) {
    if (other.device != port.device) continue;
    own += other.transport && *other.transport == Transport::kInfiniBand ? 2U : 1U;
  }
  return own;
}

std::string UseText(const Facts& host, const Port& port) {
  if (!port.resources)
    return Cat("who has the device open is not known: ",
               port.resources.missing().detail.empty() ? "nobody asked" : port.resources.missing().detail);
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const RdmaResources& used = *port.resources;
  const std::uint64_t own = KernelsQueuePairs(host, port);
  if (used.qp > own) add(CountText(used.qp - own, "queue pair"));
  if (used.ctx > 0) add(Cat("opened ", CountText(used.ctx, "time"), " by processes"));
  const std::uint64_t listening = port.listeners ? port.listeners->size() : 0;
  if (used.cm_id > listening) add(CountText(used.cm_id - listening, "connection"));
  if (port.listeners) {
    for (const RdmaListener& listener : *port.listeners) add(ListenerText(listener));
  }
  return text.empty() ? text : Cat(text, " (rdma resource show)");
}

}  // namespace

std::vector<PortUser> UsersOf(const Facts& host, const Plan& plan) {
  std::vector<PortUser> users;
  if (!host.ports) return users;
  for (const Port& port : *host.ports) {
    const bool touched = std::ranges::any_of(
        plan.steps, [&port](const PlanStep& step) { return IsSettingOf(port, step.object); });
    if (!touched) continue;
    std::string text = UseText(host, port);
    if (!text.empty()) users.push_back({.subject = SubjectOf(port), .text = std::move(text)});
  }
  return users;
}

}  // namespace rdmaready
