// SPDX-License-Identifier: Apache-2.0
#include "cli/render/bundle_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {

std::string BundleText(const BundleRun& run) {
  const auto there = static_cast<std::uint64_t>(
      std::ranges::count_if(run.hosts, [](const HostBundling& host) { return host.error.empty(); }));
  std::string text = fmt::format("{}: {}{}, {}\n", Printable(run.file), CountText(there, "host"),
                                 run.pseudonyms ? " under pseudonyms" : "", BytesText(run.bytes));
  for (const HostBundling& host : run.hosts) {
    if (!host.pseudonym.empty()) text += fmt::format("  {} is {}\n", Printable(host.host), host.pseudonym);
  }
  for (const PartLeftOut& part : run.left_out) {
    text += fmt::format("  left out: {} of {}: {}\n", Printable(part.what), Printable(part.host),
                        Printable(part.why));
  }
  return text;
}

}  // namespace rdmaready
