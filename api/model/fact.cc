// SPDX-License-Identifier: Apache-2.0
#include "api/model/fact.h"

#include <variant>

namespace rdmaready {

void ThrowBadFactAccess() { throw std::bad_variant_access(); }

template class Fact<bool>;
template class Fact<std::uint8_t>;
template class Fact<std::uint16_t>;
template class Fact<std::uint32_t>;
template class Fact<std::uint64_t>;
template class Fact<std::int32_t>;
template class Fact<std::string>;
template class Fact<std::vector<std::string>>;
template class Fact<std::vector<std::uint16_t>>;

}  // namespace rdmaready
