// SPDX-License-Identifier: Apache-2.0
// WordsView: what every view that makes JSON has in common. Only for the .cc file of a view.
#pragma once

#include <string_view>

#include "api/model/describe.h"
#include "checks/words/names.h"

namespace rdmaready {

struct WordsView {
  template <class Enum>
  static std::string_view Word(Enum value) {
    if constexpr (requires { Name(value); }) {
      return Name(value);
    } else {
      return NameOf(value);
    }
  }
};

}  // namespace rdmaready
