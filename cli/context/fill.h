// SPDX-License-Identifier: Apache-2.0
// Fill: gives options that the command line leaves out the values of the environment and of a context, in one
// place for all commands. A command has the options and does not know where their values are from.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/context/defaults.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11 is called so
class App;
}

namespace rdmaready {

// The options that were filled in, for the words of a command.
struct FilledOptions {
  Defaults defaults{};
  std::array<bool, kSharedOptions.size()> is_filled{};  // in the order of kSharedOptions

  bool Has(std::string_view key, ValueSource source) const;
  // " (--tls-ca and --tls-key are from context lab of FILE)" of the filled options of TLS; empty: none.
  std::string TlsPlaces() const;
  // `error`, and behind it where each filled value is from that it names.
  std::string WithPlaces(std::string error) const;
};

// Whether the command calls another host or a hub. One that does not takes nothing of a context and needs no
// TLS: a certificate that expired, or a file of contexts that is refused, never stops a check of this host.
bool AsksOthers(const CLI::App& chosen);

// `chosen`: the innermost command that was parsed. kInvalidArgument: a value that its option refuses, or
// `--inventory` without a FILE where none is known.
absl::StatusOr<FilledOptions> FillOptions(CLI::App& chosen, Defaults defaults);

}  // namespace rdmaready
