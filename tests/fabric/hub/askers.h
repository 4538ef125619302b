// SPDX-License-Identifier: Apache-2.0
// The control socket: whoever connects sends requests, one a line (control.h), and reads the answers in order.
#ifndef FABRIC_HUB_ASKERS_H_
#define FABRIC_HUB_ASKERS_H_

#include <poll.h>

#include "control.h"

enum { kMostAskers = 4 };

struct Asker {
  int fd;  // -1: free
  char line[kMostRequestBytes];
  size_t line_bytes;
  char* answer;  // of kMostAnswerBytes; while it is not sent, nothing more is read
  size_t answer_bytes, sent_bytes;
};

void AskersBegin(struct Asker askers[kMostAskers]);
// Takes over a connection. One too many is closed.
void AskersAdd(struct Asker askers[kMostAskers], int fd);
void AskersPoll(const struct Asker askers[kMostAskers], struct pollfd polled[kMostAskers]);
void AskersServe(struct Asker askers[kMostAskers], const struct pollfd polled[kMostAskers], struct Switch* of,
                 uint64_t now_ns);

#endif
