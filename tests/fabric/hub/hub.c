// SPDX-License-Identifier: Apache-2.0
// The wire of the virtual fabric: a small learning Ethernet switch between QEMU guests.
//
//   hub SOCKET DEADLINE_S
//
// Each guest's QEMU connects to the unix socket as "-netdev stream": a frame is its length (32 bits, big endian) and its
// bytes. A process of its own, so that killing any guest leaves the others connected. Each port has a queue of
// kQueueBytes; a frame that finds it full is dropped, as in a switch. Ends by itself after DEADLINE_S seconds.

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  kPorts = 16,
  kMacBytes = 6,
  kMaxFrameBytes = 65536,
  kQueueBytes = 8 << 20,  // more than all that the QPs and TCP flows of four guests keep in flight
  kMacs = 64,
};

struct Port {
  int fd;  // -1 when free
  uint8_t* in;
  size_t in_bytes;
  uint8_t* out;
  size_t out_start, out_end;
};

struct Mac {
  uint8_t address[kMacBytes];
  int port;
};

static struct Port ports[kPorts];
static struct Mac macs[kMacs];
static int mac_count, mac_next;

static void Die(const char* action, const char* object) {
  fprintf(stderr, "hub: %s %s: %s\n", action, object, strerror(errno));
  exit(1);
}

static void Learn(const uint8_t* address, int port) {
  if (address[0] & 1) return;
  for (int i = 0; i < mac_count; i++) {
    if (memcmp(macs[i].address, address, kMacBytes) == 0) {
      macs[i].port = port;
      return;
    }
  }
  struct Mac* mac = &macs[mac_next];
  mac_next = (mac_next + 1) % kMacs;
  if (mac_count < kMacs) mac_count++;
  memcpy(mac->address, address, kMacBytes);
  mac->port = port;
}

// The port behind an address, or -1: flood.
static int PortOf(const uint8_t* address) {
  for (int i = 0; i < mac_count; i++) {
    if (memcmp(macs[i].address, address, kMacBytes) == 0) return macs[i].port;
  }
  return -1;
}

static void ClosePort(int number) {
  struct Port* port = &ports[number];
  close(port->fd);
  free(port->in);
  free(port->out);
  *port = (struct Port){.fd = -1};
  for (int i = 0; i < mac_count; i++) {
    if (macs[i].port == number) macs[i].port = -1;
  }
}

static void OpenPort(int fd) {
  for (int i = 0; i < kPorts; i++) {
    if (ports[i].fd >= 0) continue;
    ports[i] = (struct Port){.fd = fd, .in = malloc(kMaxFrameBytes + 4), .out = malloc(kQueueBytes)};
    if (!ports[i].in || !ports[i].out) Die("allocate", "a port");
    return;
  }
  close(fd);
}

static void Enqueue(struct Port* port, const uint8_t* record, size_t bytes) {
  if (port->out_end + bytes > kQueueBytes && port->out_start > 0) {
    memmove(port->out, port->out + port->out_start, port->out_end - port->out_start);
    port->out_end -= port->out_start;
    port->out_start = 0;
  }
  if (port->out_end + bytes > kQueueBytes) return;
  memcpy(port->out + port->out_end, record, bytes);
  port->out_end += bytes;
}

// A record is the length and the frame, as it came and as it goes out.
static void Forward(int from, const uint8_t* record, size_t bytes) {
  const uint8_t* destination = record + 4;
  if (bytes < 4 + 2 * kMacBytes) return;
  Learn(record + 4 + kMacBytes, from);
  int to = PortOf(destination);
  for (int i = 0; i < kPorts; i++) {
    if (i != from && ports[i].fd >= 0 && (to < 0 || to == i)) Enqueue(&ports[i], record, bytes);
  }
}

// Returns 0 when the port is to be closed.
static int Receive(int number) {
  struct Port* port = &ports[number];
  ssize_t got = recv(port->fd, port->in + port->in_bytes, kMaxFrameBytes + 4 - port->in_bytes, MSG_DONTWAIT);
  if (got == 0) return 0;
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  port->in_bytes += (size_t)got;

  size_t start = 0;
  while (port->in_bytes - start >= 4) {
    uint32_t length;
    memcpy(&length, port->in + start, 4);
    size_t record_bytes = 4 + (size_t)ntohl(length);
    if (record_bytes > kMaxFrameBytes + 4) return 0;
    if (port->in_bytes - start < record_bytes) break;
    Forward(number, port->in + start, record_bytes);
    start += record_bytes;
  }
  memmove(port->in, port->in + start, port->in_bytes - start);
  port->in_bytes -= start;
  return 1;
}

// Returns 0 when the port is to be closed.
static int Send(int number) {
  struct Port* port = &ports[number];
  ssize_t sent = send(port->fd, port->out + port->out_start, port->out_end - port->out_start, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  port->out_start += (size_t)sent;
  if (port->out_start == port->out_end) port->out_start = port->out_end = 0;
  return 1;
}

static int Listen(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    Die("listen on", path);
  }
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*)&address, sizeof(address)) < 0 || listen(fd, kPorts) < 0) Die("listen on", path);
  return fd;
}

int main(int argc, char** argv) {
  if (argc != 3 || atoi(argv[2]) <= 0) {
    fprintf(stderr, "usage: hub SOCKET DEADLINE_S\n");
    return 2;
  }
  for (int i = 0; i < kPorts; i++) ports[i].fd = -1;
  umask(077);
  int listener = Listen(argv[1]);
  alarm((unsigned)atoi(argv[2]));

  for (;;) {
    struct pollfd polled[kPorts + 1];
    for (int i = 0; i < kPorts; i++) {
      int wants_out = ports[i].out_end > ports[i].out_start;
      polled[i] = (struct pollfd){.fd = ports[i].fd, .events = (short)(POLLIN | (wants_out ? POLLOUT : 0))};
    }
    polled[kPorts] = (struct pollfd){.fd = listener, .events = POLLIN};
    if (poll(polled, kPorts + 1, -1) < 0) {
      if (errno == EINTR) continue;
      Die("poll", "the ports");
    }
    for (int i = 0; i < kPorts; i++) {
      if (ports[i].fd >= 0 && polled[i].revents & ~POLLOUT && !Receive(i)) ClosePort(i);
    }
    // All that has just arrived goes out at once, without another poll.
    for (int i = 0; i < kPorts; i++) {
      if (ports[i].fd >= 0 && ports[i].out_end > ports[i].out_start && !Send(i)) ClosePort(i);
    }
    if (polled[kPorts].revents & POLLIN) {
      int fd = accept(listener, NULL, NULL);
      if (fd >= 0) OpenPort(fd);
    }
  }
}
