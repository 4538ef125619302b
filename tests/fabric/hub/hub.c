// SPDX-License-Identifier: Apache-2.0
// The wire of the virtual fabric: an Ethernet switch between QEMU guests.
//
//   hub PREFIX PORTS DEADLINE_S [MBPS]
//
// The guest of port K connects to PREFIX.K.sock (wire.h), whoever has a question or a setting to PREFIX.sock
// (control.h), which is there when all of them are. A process of its own, so that killing any guest leaves the
// others connected. The switch itself is in switch.h; this is the loop around it. MBPS is the rate of each
// port, if they are to have one. Ends by itself after DEADLINE_S seconds.

#define _GNU_SOURCE  // ppoll
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "askers.h"
#include "values.h"
#include "wire.h"

enum { kMostDeadlineS = 1000000, kBacklog = 16 };
static const uint64_t kSecondNs = 1000000000;

struct Hub {
  struct Switch* fabric;
  struct Wire wires[kMostPorts];
  int listeners[kMostPorts];
  struct Asker askers[kMostAskers];
  int control;
};

// All that poll waits for, in this order.
struct Polled {
  struct pollfd wires[kMostPorts], listeners[kMostPorts], askers[kMostAskers], control;
};

static void Die(const char* action, const char* object) {
  fprintf(stderr, "hub: %s %s: %s\n", action, object, strerror(errno));
  exit(1);
}

// Since the start of this process.
static uint64_t NowNs(void) {
  static uint64_t start_ns;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t now_ns = (uint64_t)now.tv_sec * kSecondNs + (uint64_t)now.tv_nsec;
  if (!start_ns) start_ns = now_ns;
  return now_ns - start_ns;
}

static int Listen(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    Die("listen on", path);
  }
  memcpy(address.sun_path, path, strlen(path));
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) Die("make a socket for", path);
  if (bind(fd, (struct sockaddr*)&address, sizeof(address)) < 0 || listen(fd, kBacklog) < 0)
    Die("listen on", path);
  return fd;
}

static void Begin(struct Hub* hub, const char* prefix, int ports, uint32_t mbps) {
  char path[sizeof(((struct sockaddr_un*)NULL)->sun_path) + 1];
  hub->fabric = SwitchNew(ports, mbps);
  if (!hub->fabric) Die("allocate", "the switch");
  umask(077);
  for (int i = 0; i < ports; i++) {
    hub->wires[i] = (struct Wire){.fd = -1};
    snprintf(path, sizeof(path), "%s.%d.sock", prefix, i + 1);
    hub->listeners[i] = Listen(path);
  }
  AskersBegin(hub->askers);
  snprintf(path, sizeof(path), "%s.sock", prefix);
  hub->control = Listen(path);
}

static void Disconnect(struct Hub* hub, int port, uint64_t now_ns) {
  WireClose(&hub->wires[port]);
  SwitchLinkDown(hub->fabric, port, now_ns);
}

// A new connection takes the place of one that is there: the cable is in another machine now.
static void Connect(struct Hub* hub, int port, uint64_t now_ns) {
  int fd = accept(hub->listeners[port], NULL, NULL);
  if (fd < 0) return;
  if (hub->wires[port].fd >= 0) Disconnect(hub, port, now_ns);
  WireOpen(&hub->wires[port], fd);
  if (hub->wires[port].fd >= 0) SwitchLinkUp(hub->fabric, port);
}

// Waits for a socket, or for the time at which the switch has a frame for one that takes it.
static void Wait(struct Hub* hub, struct Polled* polled) {
  uint64_t wakes_ns = UINT64_MAX, now_ns = NowNs();
  memset(polled, 0xff, sizeof(*polled));  // file descriptor -1: not asked about
  for (int i = 0; i < hub->fabric->port_count; i++) {
    const struct Wire* wire = &hub->wires[i];
    polled->wires[i] =
        (struct pollfd){.fd = wire->fd, .events = (short)(POLLIN | (wire->is_full ? POLLOUT : 0))};
    polled->listeners[i] = (struct pollfd){.fd = hub->listeners[i], .events = POLLIN};
    uint64_t port_ns = wire->fd < 0 || wire->is_full ? UINT64_MAX : SwitchWakesNs(hub->fabric, i);
    if (port_ns < wakes_ns) wakes_ns = port_ns;
  }
  AskersPoll(hub->askers, polled->askers);
  polled->control = (struct pollfd){.fd = hub->control, .events = POLLIN};
  uint64_t wait_ns = wakes_ns > now_ns ? wakes_ns - now_ns : 0;
  struct timespec timeout = {.tv_sec = (time_t)(wait_ns / kSecondNs), .tv_nsec = (long)(wait_ns % kSecondNs)};
  if (ppoll((struct pollfd*)polled, sizeof(*polled) / sizeof(struct pollfd),
            wakes_ns == UINT64_MAX ? NULL : &timeout, NULL) >= 0)
    return;
  if (errno != EINTR) Die("poll", "the ports");
  memset(polled, 0, sizeof(*polled));  // no events
}

static void Work(struct Hub* hub, const struct Polled* polled) {
  uint64_t now_ns = NowNs();
  for (int i = 0; i < hub->fabric->port_count; i++) {
    bool has_input = hub->wires[i].fd >= 0 && polled->wires[i].revents & ~POLLOUT;
    if (has_input && !WireReceive(&hub->wires[i], hub->fabric, i, now_ns)) Disconnect(hub, i, now_ns);
  }
  AskersServe(hub->askers, polled->askers, hub->fabric, now_ns);
  // All that has just arrived goes out at once, without another poll.
  for (int i = 0; i < hub->fabric->port_count; i++) {
    if (hub->wires[i].fd >= 0 && !WireSend(&hub->wires[i], hub->fabric, i, now_ns)) Disconnect(hub, i, now_ns);
  }
  for (int i = 0; i < hub->fabric->port_count; i++) {
    if (polled->listeners[i].revents & POLLIN) Connect(hub, i, now_ns);
  }
  if (polled->control.revents & POLLIN) {
    int fd = accept(hub->control, NULL, NULL);
    if (fd >= 0) AskersAdd(hub->askers, fd);
  }
}

int main(int argc, char** argv) {
  uint32_t ports, deadline_s, mbps = 0;
  bool is_right = (argc == 4 || argc == 5) && ReadNumber(argv[2], 1, kMostPorts, &ports) &&
                  ReadNumber(argv[3], 1, kMostDeadlineS, &deadline_s);
  if (!is_right || (argc == 5 && !ReadNumber(argv[4], 0, kMostMbps, &mbps))) {
    fprintf(stderr, "usage: hub PREFIX PORTS DEADLINE_S [MBPS]\n");
    return 2;
  }
  static struct Hub hub;
  alarm(deadline_s);
  Begin(&hub, argv[1], (int)ports, mbps);
  for (;;) {
    struct Polled polled;
    Wait(&hub, &polled);
    Work(&hub, &polled);
  }
}
