// SPDX-License-Identifier: Apache-2.0
// Text that is written into a buffer of a fixed size.
#ifndef FABRIC_HUB_TEXT_H_
#define FABRIC_HUB_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct Text {
  char* buffer;
  size_t capacity;
  size_t bytes;   // without the zero at the end
  bool overflow;  // something did not fit
};

void TextBegin(struct Text* text, char* buffer, size_t capacity);
__attribute__((format(printf, 2, 3))) void TextAdd(struct Text* text, const char* format, ...);

#ifdef __cplusplus
}
#endif
#endif
