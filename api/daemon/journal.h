// SPDX-License-Identifier: Apache-2.0
// Events as entries of systemd's journal, whose fields a person can search by.
#pragma once

#include <string>
#include <vector>

#include "api/base/event.h"

namespace rdmaready {

// Whether standard error is a stream to the journal (JOURNAL_STREAM names it), so that entries are lost nowhere
// else.
bool ErrorsGoToJournal();

// "NAME=value" of each field: MESSAGE (the event as text), PRIORITY, MESSAGE_ID, EVENT, then the event's own.
// What others search for too has its common name (RUN_ID, CHECK_ID, RDMA_DEV, IFNAME), the rest begins with
// RDMAREADY_. A value is cut at 1 KiB.
std::vector<std::string> JournalFields(const Event& event);

// What the journal does not take is dropped: it is full, or restarting, and the service goes on.
void WriteToJournal(const Event& event);

}  // namespace rdmaready
