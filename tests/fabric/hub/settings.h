// SPDX-License-Identifier: Apache-2.0
// The settings of the switch by name: README.md lists them.
#ifndef FABRIC_HUB_SETTINGS_H_
#define FABRIC_HUB_SETTINGS_H_

#include "switch.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum SettingResult { kSettingDone, kSettingUnknown, kSettingBadValue };

// `port` -1: each port, and the settings of the whole switch too. Nothing is set unless the value is good.
enum SettingResult SettingSet(struct Switch* of, int port, const char* knob, const char* value,
                              uint64_t now_ns);
// A line for each setting, `set PORT KNOB VALUE`, as it would be typed. `port` -1: those of the whole switch.
void SettingsShow(const struct Switch* of, int port, struct Text* to);

#ifdef __cplusplus
}
#endif
#endif
