// SPDX-License-Identifier: Apache-2.0
// Facts in a bundle: protobuf's JSON of rdmaready.v1.Facts, and what they become under pseudonyms. Pure.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "cli/bundle/pseudonyms.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::bundle {

// Replaces every text and address by its row in fact_rows.h; a text without a row is cleared. Why a fact is
// missing stays as a kind, without its words; only that a recording lacks it is kept, because checks judge by
// it.
void PutUnderPseudonyms(const Pseudonyms& pseudonyms, v1::Facts& facts);

// kInternal: protobuf does not write it.
absl::StatusOr<std::string> WriteFacts(const v1::Facts& facts);
// kInvalidArgument in one line.
absl::StatusOr<Facts> ReadFacts(std::string_view json);

}  // namespace rdmaready::bundle
