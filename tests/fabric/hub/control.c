// SPDX-License-Identifier: Apache-2.0
#include "control.h"

#include <string.h>

#include "report.h"
#include "settings.h"
#include "values.h"

enum { kAllPorts = -1, kNoPort = -2, kMostWords = 4 };

static int Words(char* line, char* words[kMostWords + 1]) {
  int count = 0;
  char* rest = NULL;
  for (char* word = strtok_r(line, " \t\r\n", &rest); word && count <= kMostWords;
       word = strtok_r(NULL, " \t\r\n", &rest)) {
    words[count++] = word;
  }
  return count;
}

static int PortOf(const struct Switch* of, const char* text) {
  uint32_t number;
  if (strcmp(text, "all") == 0) return kAllPorts;
  return ReadNumber(text, 1, (uint32_t)of->port_count, &number) ? (int)number - 1 : kNoPort;
}

static const char* Set(struct Switch* of, int port, char* words[], uint64_t now_ns) {
  switch (SettingSet(of, port, words[2], words[3], now_ns)) {
    case kSettingDone:
      return NULL;
    case kSettingUnknown:
      return "no such knob of a port; a knob of the whole switch is set with \"all\"";
    case kSettingBadValue:
      break;
  }
  return "not a value of this knob";
}

static void Show(const struct Switch* of, int port, struct Text* answer) {
  if (port != kAllPorts) {
    SettingsShow(of, port, answer);
    return;
  }
  SettingsShow(of, kAllPorts, answer);
  for (int i = 0; i < of->port_count; i++) SettingsShow(of, i, answer);
}

static void Counters(const struct Switch* of, int port, uint64_t now_ns, struct Text* answer) {
  if (port != kAllPorts) {
    ReportPort(of, port, answer);
    return;
  }
  ReportSwitch(of, now_ns, answer);
  for (int i = 0; i < of->port_count; i++) ReportPort(of, i, answer);
}

static void Reset(struct Switch* of, int port) {
  if (port != kAllPorts) {
    SwitchResetPort(of, port);
    return;
  }
  SwitchReset(of);
  for (int i = 0; i < of->port_count; i++) SwitchResetPort(of, i);
}

// NULL, or why it was not done.
static const char* Do(struct Switch* of, char* words[], int count, uint64_t now_ns, struct Text* answer) {
  const char* verb = count ? words[0] : "";
  bool is_set = strcmp(verb, "set") == 0;
  if (count != (is_set ? 4 : 2)) return "set PORT KNOB VALUE, or show, counters, seconds or reset with a PORT";
  int port = PortOf(of, words[1]);
  if (port == kNoPort) return "no such port";
  if (is_set) return Set(of, port, words, now_ns);
  if (strcmp(verb, "show") == 0) {
    Show(of, port, answer);
  } else if (strcmp(verb, "counters") == 0) {
    Counters(of, port, now_ns, answer);
  } else if (strcmp(verb, "seconds") == 0) {
    if (port == kAllPorts) return "seconds: of one port";
    ReportSeconds(of, port, now_ns, answer);
  } else if (strcmp(verb, "reset") == 0) {
    Reset(of, port);
  } else {
    return "neither set, show, counters, seconds nor reset";
  }
  return NULL;
}

void ControlAnswer(struct Switch* of, char* line, uint64_t now_ns, struct Text* answer) {
  char* words[kMostWords + 1];
  int count = Words(line, words);
  const char* error = Do(of, words, count, now_ns, answer);
  if (error) {
    TextBegin(answer, answer->buffer, answer->capacity);
    TextAdd(answer, "error: %s\n", error);
    return;
  }
  TextAdd(answer, "ok\n");
  if (answer->overflow) {
    TextBegin(answer, answer->buffer, answer->capacity);
    TextAdd(answer, "error: the answer is too long\n");
  }
}
