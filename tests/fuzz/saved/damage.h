// SPDX-License-Identifier: Apache-2.0
// Damage: one byte string as what became of the files of a recording on the way, or in the hands of a
// stranger. Deterministic.
//
// Each change begins with four bytes: the file, the kind, and the line in two. What follows:
//   bytes    place, count, and so many bytes instead of those that were there
//   hex      the same, in hexadecimal, over the next digits only: what a payload holds changes, its JSON does
//   not number   place, and which of the numbers at the edges the next number becomes word     place, and which
//   word of the format or of JSON is put there cut      place, where the line ends erase    place, count drop
//   the line is gone: its question was never asked twice    the line that the line comes behind once more: an
//   answer came later, or again remove   the file is gone
// A place is two bytes, modulo the line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectors/recording/format.h"

namespace rdmaready::fuzz {

enum class DamageKind : std::uint8_t { kBytes, kHex, kNumber, kWord, kCut, kErase, kDrop, kTwice, kRemove };
inline constexpr std::uint8_t kDamageKinds = 9;

// Below it a file's number means one of those that the format names, from it on one that the host had.
inline constexpr std::uint8_t kFirstTreeFile = 224;

// The digests and their number are those of the changed files where `sealed`, so that only changes of
// SHA256SUMS itself are told by them.
void Damage(std::span<const std::uint8_t> bytes, bool sealed, RecordingFiles* files);

// One change, to make inputs of.
std::vector<std::uint8_t> DamageBytes(std::uint8_t file, DamageKind kind, std::uint8_t line,
                                      const std::vector<std::uint8_t>& rest);

}  // namespace rdmaready::fuzz
