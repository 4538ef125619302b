// SPDX-License-Identifier: Apache-2.0
// A JSON document as something else that holds the same. Pure. `json` is one that a renderer made.
#pragma once

#include <string>
#include <string_view>

namespace rdmaready {

// An object on each line, which says in `kind` what it is ("run", "host", "finding", "result", ...) and carries
// run_id, host, from and to of what it belongs to: a log can take each by itself. What holds others comes
// before them, without them.
std::string JsonLines(std::string_view json);

// Plain ASCII; a safe loader of YAML 1.1 or 1.2 reads the values of the JSON.
std::string YamlOfJson(std::string_view json);

}  // namespace rdmaready
