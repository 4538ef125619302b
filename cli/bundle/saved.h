// SPDX-License-Identifier: Apache-2.0
// The hosts of a bundle, to be shown or judged as those of a folder are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/bundle/bundle.h"
#include "cli/fleet/saved_hosts.h"

namespace rdmaready::bundle {

// All of them, or those that `names` names, in the order of the bundle. A host of which there is neither a
// recording nor facts, or one that cannot be read, has an error. kInvalidArgument in one line: a name that is
// no host of the bundle, or nothing of any host can be read. `file` is how the bundle is named.
absl::StatusOr<std::vector<SavedHost>> HostsOf(const Bundle& bundle, const std::string& file,
                                               const std::vector<std::string>& names);

// The file read, decoded, and its hosts: errors of ReadBundleFile, Decode and HostsOf, each naming the file.
absl::StatusOr<std::vector<SavedHost>> LoadBundle(const std::string& file,
                                                  const std::vector<std::string>& names);

}  // namespace rdmaready::bundle
