// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <string.h>

enum { kMostDigits = 9, kMostItem = 31 };

bool ReadNumber(const char* text, uint32_t least, uint32_t most, uint32_t* value) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > kMostDigits || text[digits] != 0) return false;
  uint32_t number = 0;
  for (size_t i = 0; i < digits; i++) number = number * 10 + (uint32_t)(text[i] - '0');
  if (number < least || number > most) return false;
  *value = number;
  return true;
}

bool ReadSwitch(const char* text, bool* value) {
  bool is_on = strcmp(text, "on") == 0;
  if (!is_on && strcmp(text, "off") != 0) return false;
  *value = is_on;
  return true;
}

// The next item of a list with commas; NULL at its end, and `bad` where an item is empty or too long.
static const char* NextItem(const char* text, char item[kMostItem + 1], bool* bad) {
  size_t bytes = strcspn(text, ",");
  if (bytes == 0 || bytes > kMostItem || (text[bytes] == ',' && text[bytes + 1] == 0)) {
    *bad = true;
    return NULL;
  }
  memcpy(item, text, bytes);
  item[bytes] = 0;
  return text + bytes + (text[bytes] == ',');
}

bool ReadBits(const char* text, uint8_t* bits) {
  uint8_t found = 0;
  bool bad = false;
  if (strcmp(text, "none") == 0) {
    *bits = 0;
    return true;
  }
  do {
    char item[kMostItem + 1];
    uint32_t number;
    text = NextItem(text, item, &bad);
    if (bad || !ReadNumber(item, 0, 7, &number)) return false;
    found |= (uint8_t)(1 << number);
  } while (*text);
  *bits = found;
  return true;
}

static bool ReadValue(const char* text, uint32_t least, uint32_t most, const char* word, uint32_t* value) {
  if (word && strcmp(text, word) == 0) {
    *value = most + 1;
    return true;
  }
  return ReadNumber(text, least, most, value);
}

bool ReadPairs(const char* text, uint32_t keys, uint32_t least, uint32_t most, const char* word,
               uint32_t values[], uint64_t* named) {
  uint32_t found[kMostKeys];
  uint64_t seen = 0;
  bool bad = false;
  memcpy(found, values, keys * sizeof(*found));
  do {
    char item[kMostItem + 1];
    uint32_t first = 0, last = keys - 1, value;
    text = NextItem(text, item, &bad);
    if (bad) return false;
    char* colon = strchr(item, ':');
    if (colon) {
      *colon = 0;
      if (!ReadNumber(item, 0, keys - 1, &first)) return false;
      last = first;
    }
    if (!ReadValue(colon ? colon + 1 : item, least, most, word, &value)) return false;
    for (uint32_t key = first; key <= last; key++) {
      found[key] = value;
      seen |= (uint64_t)1 << key;
    }
  } while (*text);
  memcpy(values, found, keys * sizeof(*found));
  *named = seen;
  return true;
}
