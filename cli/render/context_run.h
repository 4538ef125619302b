// SPDX-License-Identifier: Apache-2.0
// Output of `rdmaready context`: the contexts of a file, or what holds for commands and where that is from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context/context_file.h"
#include "cli/context/defaults.h"
#include "cli/style.h"

namespace rdmaready {

std::string_view NameOf(ValueSource source);  // "context", "environment", "built-in", "nowhere"

std::string ContextsText(const ContextFile& file, const Style& style);
std::string ContextsJson(const ContextFile& file);

// `is_current`: commands take this context where they name none.
struct ContextShown {
  Defaults defaults{};
  bool is_current = false;
};
std::string ContextText(const ContextShown& shown, const Style& style);
std::string ContextJson(const ContextShown& shown);

}  // namespace rdmaready
