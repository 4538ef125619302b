// SPDX-License-Identifier: Apache-2.0
#define SD_JOURNAL_SUPPRESS_LOCATION  // ours would be that of this file, whatever was said
#include "api/daemon/journal.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "api/daemon/event_ids.h"
#include "api/daemon/event_log.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxFieldBytes = 1024;
constexpr std::array<std::string_view, 4> kCommonNames{"RUN_ID", "CHECK_ID", "RDMA_DEV", "IFNAME"};

int PriorityOf(EventLevel level) {
  switch (level) {
    case EventLevel::kDebug:
      return LOG_DEBUG;
    case EventLevel::kInfo:
      return LOG_INFO;
    case EventLevel::kWarning:
      return LOG_WARNING;
    case EventLevel::kError:
      return LOG_ERR;
  }
  return LOG_ERR;
}

// Letters, digits and '_', as the journal asks for it; a key is a literal of ours.
std::string FieldName(std::string_view key) {
  std::string name;
  for (const char letter : key) {
    const bool lower = letter >= 'a' && letter <= 'z';
    const bool plain = (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
    name += lower ? static_cast<char>(letter - 'a' + 'A') : plain ? letter : '_';
  }
  for (const std::string_view common : kCommonNames) {
    if (name == common) return name;
  }
  return "RDMAREADY_" + name;
}

std::string ValueOf(const Event::Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return text->substr(0, kMaxFieldBytes);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<bool>(field.value) ? "yes" : "no";
}

}  // namespace

bool ErrorsGoToJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct ::stat info {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &info) != 0) return false;
  return fmt::format("{}:{}", info.st_dev, info.st_ino) == stream;
}

std::vector<std::string> JournalFields(const Event& event) {
  std::vector<std::string> fields{"MESSAGE=" + EventText(event),
                                  fmt::format("PRIORITY={}", PriorityOf(event.level)),
                                  "SYSLOG_IDENTIFIER=rdmaready-agent", fmt::format("EVENT={}", event.name)};
  if (const std::string_view id = MessageIdOf(event.name); !id.empty())
    fields.push_back(fmt::format("MESSAGE_ID={}", id));
  for (const Event::Field& field : event.fields) {
    const std::string value = ValueOf(field);
    fields.push_back(FieldName(field.key) + "=" + value);
    // A port is a device and a number: "mlx5_0/1".
    if (field.key == "port" && value.find('/') != std::string::npos)
      fields.push_back("RDMA_DEV=" + value.substr(0, value.find('/')));
  }
  return fields;
}

void WriteToJournal(const Event& event) {
  std::vector<std::string> fields = JournalFields(event);
  std::vector<::iovec> parts;
  parts.reserve(fields.size());
  for (std::string& field : fields) parts.push_back({field.data(), field.size()});
  static_cast<void>(::sd_journal_sendv(parts.data(), static_cast<int>(parts.size())));
}

}  // namespace rdmaready
