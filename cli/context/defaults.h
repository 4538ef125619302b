// SPDX-License-Identifier: Apache-2.0
// Defaults: what holds for shared options that a command line leaves out, and where each value is from.
//
// A person who types `rdmaready check`, `apply` or `rollback` without a host means this host, whatever a
// context holds: kubectl has no such case, and ansible always takes a pattern. So such a command takes
// nothing of a context, and does not read the file. For others its inventory is taken for `--inventory` without
// a FILE, and for `--group` and
// `--rack`; its profile judges hosts that are named and of which the inventory says nothing. RDMAREADY_PROFILE
// is said in the shell of the command, so it counts for this host as well. Saved hosts (--facts, --bundle) keep
// their own profile.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cli/context/context_file.h"
#include "cli/context/shared_options.h"

namespace rdmaready {

enum class ValueSource { kNowhere, kBuiltIn, kContext, kEnvironment, kCommandLine };

struct SharedValue {
  std::string value{};  // a path from a context is absolute
  ValueSource source = ValueSource::kNowhere;
};

struct Defaults {
  std::string context{};  // its name; empty: none
  std::string file{};     // of contexts; empty: this user has no home
  bool chosen = false;    // by --context or the environment; else it is the current one
  std::array<SharedValue, kSharedOptions.size()> values{};  // in the order of kSharedOptions

  const SharedValue& Of(std::string_view key) const;
  // "context lab of /root/.config/rdmaready/contexts.yaml", "RDMAREADY_HUB", "built-in"; empty of kNowhere.
  std::string Place(std::string_view key) const;
};

// `named`: of --context; empty: RDMAREADY_CONTEXT, else the current one. Errors are those of the file, and
// kNotFound for a context that is not there. Reads the environment of this process.
absl::StatusOr<Defaults> ReadDefaults(const std::string& named);

// The values of the environment and what is built in, without any context.
Defaults DefaultsWithoutContext();

}  // namespace rdmaready
