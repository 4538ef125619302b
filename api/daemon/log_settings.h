// SPDX-License-Identifier: Apache-2.0
// What the settings of a daemon say about its log.
#pragma once

#include "api/base/event.h"
#include "api/daemon/event_log.h"

namespace rdmaready {

template <class Settings>
LogFormat LogFormatOf(const Settings& settings) {
  return settings.log_format() == Settings::FORMAT_JSON ? LogFormat::kJson : LogFormat::kText;
}

template <class Settings>
EventLevel LogLevelOf(const Settings& settings) {
  switch (settings.log_level()) {
    case Settings::LEVEL_DEBUG:
      return EventLevel::kDebug;
    case Settings::LEVEL_WARNING:
      return EventLevel::kWarning;
    case Settings::LEVEL_ERROR:
      return EventLevel::kError;
    default:
      return EventLevel::kInfo;
  }
}

}  // namespace rdmaready
