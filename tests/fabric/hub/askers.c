// SPDX-License-Identifier: Apache-2.0
#include "askers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void AskersBegin(struct Asker askers[kMostAskers]) {
  for (int i = 0; i < kMostAskers; i++) askers[i] = (struct Asker){.fd = -1};
}

void AskersAdd(struct Asker askers[kMostAskers], int fd) {
  for (int i = 0; i < kMostAskers; i++) {
    if (askers[i].fd >= 0) continue;
    askers[i] = (struct Asker){.fd = fd, .answer = malloc(kMostAnswerBytes)};
    if (askers[i].answer) return;
    askers[i].fd = -1;
    break;
  }
  close(fd);
}

static void Remove(struct Asker* asker) {
  close(asker->fd);
  free(asker->answer);
  *asker = (struct Asker){.fd = -1};
}

static bool HasAnswer(const struct Asker* asker) { return asker->sent_bytes < asker->answer_bytes; }

void AskersPoll(const struct Asker askers[kMostAskers], struct pollfd polled[kMostAskers]) {
  for (int i = 0; i < kMostAskers; i++) {
    polled[i] = (struct pollfd){.fd = askers[i].fd, .events = HasAnswer(&askers[i]) ? POLLOUT : POLLIN};
  }
}

// Answers the first whole line, if there is one and the answer before it is sent.
static bool AnswerLine(struct Asker* asker, struct Switch* of, uint64_t now_ns) {
  char* end = HasAnswer(asker) ? NULL : memchr(asker->line, '\n', asker->line_bytes);
  if (!end) return false;
  *end = 0;
  struct Text answer;
  TextBegin(&answer, asker->answer, kMostAnswerBytes);
  ControlAnswer(of, asker->line, now_ns, &answer);
  asker->answer_bytes = answer.bytes;
  asker->sent_bytes = 0;
  size_t used = (size_t)(end + 1 - asker->line);
  memmove(asker->line, end + 1, asker->line_bytes - used);
  asker->line_bytes -= used;
  return true;
}

// False when the connection is over.
static bool SendAnswer(struct Asker* asker) {
  ssize_t sent = send(asker->fd, asker->answer + asker->sent_bytes, asker->answer_bytes - asker->sent_bytes,
                      MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  asker->sent_bytes += (size_t)sent;
  return true;
}

// False when the connection is over: also when a line is too long.
static bool Serve(struct Asker* asker, struct Switch* of, uint64_t now_ns) {
  if (!HasAnswer(asker)) {
    size_t room = kMostRequestBytes - asker->line_bytes;
    ssize_t got = room ? recv(asker->fd, asker->line + asker->line_bytes, room, MSG_DONTWAIT) : 0;
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    asker->line_bytes += (size_t)got;
  }
  do {
    if (HasAnswer(asker) && !SendAnswer(asker)) return false;
  } while (AnswerLine(asker, of, now_ns));
  return HasAnswer(asker) || asker->line_bytes < kMostRequestBytes;
}

void AskersServe(struct Asker askers[kMostAskers], const struct pollfd polled[kMostAskers], struct Switch* of,
                 uint64_t now_ns) {
  for (int i = 0; i < kMostAskers; i++) {
    if (askers[i].fd >= 0 && polled[i].revents && !Serve(&askers[i], of, now_ns)) Remove(&askers[i]);
  }
}
