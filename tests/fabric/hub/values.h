// SPDX-License-Identifier: Apache-2.0
// The values of settings as a person types them. Each function is false, and writes nothing, where the text is
// not such a value.
#ifndef FABRIC_HUB_VALUES_H_
#define FABRIC_HUB_VALUES_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kMostKeys = 64 };

// Decimal digits alone.
bool ReadNumber(const char* text, uint32_t least, uint32_t most, uint32_t* value);
// "on" or "off".
bool ReadSwitch(const char* text, bool* value);
// Priorities as bits: "3,4" or "none".
bool ReadBits(const char* text, uint8_t* bits);
// Values by key, in order: "26:3,48:6". An item without a key is for all: "0,26:3". `word`, if any, is a value
// that stands for `most` + 1. Keys that the text leaves out keep their value, and are not in `named`.
bool ReadPairs(const char* text, uint32_t keys, uint32_t least, uint32_t most, const char* word,
               uint32_t values[], uint64_t* named);

#ifdef __cplusplus
}
#endif
#endif
