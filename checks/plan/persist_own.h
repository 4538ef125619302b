// SPDX-License-Identifier: Apache-2.0
// Files for the next boot that this program wrote before: how a new list of them comes out of the facts.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/plan.h"

namespace rdmaready {

// The host as it would be without the files of this program. A new list is made from it, so that each file is
// whole: nothing is left out because an earlier one has it.
Facts WithoutOwnFiles(Facts facts);

// Whether a file of this program with that path is there and keeps all of it. False where the facts say too
// little of its values, as of the units of data centre bridging.
bool IsThere(const Facts& host, const PersistFile& file);

// One entry for each path, by path. A file that a person changes may have several settings.
std::vector<PersistFile> MergedByPath(std::vector<PersistFile> files);

}  // namespace rdmaready
