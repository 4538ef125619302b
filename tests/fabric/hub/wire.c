// SPDX-License-Identifier: Apache-2.0
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kInBytes = kMostRecordBytes + kRecordHead, kMostBatch = 64 };

void WireOpen(struct Wire* wire, int fd) {
  *wire = (struct Wire){.fd = fd, .in = malloc(kInBytes)};
  if (wire->in) return;
  close(fd);
  wire->fd = -1;
}

void WireClose(struct Wire* wire) {
  close(wire->fd);
  free(wire->in);
  while (wire->first) {
    struct Frame* next = wire->first->next;
    FrameFree(wire->first);
    wire->first = next;
  }
  *wire = (struct Wire){.fd = -1};
}

bool WireReceive(struct Wire* wire, struct Switch* into, int port, uint64_t now_ns) {
  ssize_t got = recv(wire->fd, wire->in + wire->in_bytes, kInBytes - wire->in_bytes, MSG_DONTWAIT);
  if (got == 0) return false;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  wire->in_bytes += (size_t)got;

  size_t start = 0;
  while (wire->in_bytes - start >= kRecordHead) {
    uint32_t bytes;
    memcpy(&bytes, wire->in + start, kRecordHead);
    bytes = ntohl(bytes);
    if (bytes > kMostRecordBytes) return false;
    if (wire->in_bytes - start - kRecordHead < bytes) break;
    SwitchReceive(into, port, wire->in + start + kRecordHead, bytes, now_ns);
    start += kRecordHead + bytes;
  }
  memmove(wire->in, wire->in + start, wire->in_bytes - start);
  wire->in_bytes -= start;
  return true;
}

// Many frames for one system call. One where a pause or a rate is to have its effect after the frame that is on
// its way.
static int Batch(const struct Port* port) { return port->rate.mbps || port->lossless ? 1 : kMostBatch; }

static void Fill(struct Wire* wire, struct Switch* from, int port, uint64_t now_ns) {
  int most = Batch(&from->ports[port]);
  while (wire->frames < most) {
    struct Frame* frame = SwitchTransmit(from, port, now_ns);
    if (!frame) return;
    if (wire->first) {
      wire->last->next = frame;
    } else {
      wire->first = frame;
    }
    wire->last = frame;
    wire->frames++;
  }
}

static void Sent(struct Wire* wire, size_t bytes) {
  wire->sent_bytes += bytes;
  while (wire->first && wire->sent_bytes >= wire->first->bytes + kRecordHead) {
    struct Frame* frame = wire->first;
    wire->sent_bytes -= frame->bytes + kRecordHead;
    wire->first = frame->next;
    wire->frames--;
    FrameFree(frame);
  }
}

bool WireSend(struct Wire* wire, struct Switch* from, int port, uint64_t now_ns) {
  for (;;) {
    Fill(wire, from, port, now_ns);
    wire->is_full = false;
    if (!wire->first) return true;
    struct iovec parts[kMostBatch];
    size_t count = 0, offset = wire->sent_bytes;
    for (struct Frame* frame = wire->first; frame && count < kMostBatch; frame = frame->next) {
      parts[count++] =
          (struct iovec){.iov_base = frame->record + offset, .iov_len = frame->bytes + kRecordHead - offset};
      offset = 0;
    }
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    ssize_t sent = sendmsg(wire->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) Sent(wire, (size_t)sent);
    wire->is_full = wire->first != NULL;
    if (wire->is_full) return true;
  }
}
