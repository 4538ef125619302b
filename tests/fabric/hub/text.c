// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

void TextBegin(struct Text* text, char* buffer, size_t capacity) {
  *text = (struct Text){.buffer = buffer, .capacity = capacity};
  buffer[0] = 0;
}

void TextAdd(struct Text* text, const char* format, ...) {
  if (text->overflow) return;
  va_list arguments;
  va_start(arguments, format);
  size_t left = text->capacity - text->bytes;
  int wanted = vsnprintf(text->buffer + text->bytes, left, format, arguments);
  va_end(arguments);
  if (wanted < 0 || (size_t)wanted >= left) {
    text->buffer[text->bytes] = 0;
    text->overflow = true;
    return;
  }
  text->bytes += (size_t)wanted;
}
