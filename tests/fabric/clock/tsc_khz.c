// SPDX-License-Identifier: Apache-2.0
// Prints the rate of this machine's TSC in kHz, measured against CLOCK_MONOTONIC_RAW in a tenth of a second.
//
// A guest's TSC is this one. Its kernel would measure the rate by a timer of QEMU's. On a machine under load such a rate
// was seen to be three times too high or four times too low. All clocks and time limits of that guest are wrong then.

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

enum { kTries = 1000, kApartNs = 100000000 };

struct moment {
  uint64_t ticks;
  int64_t ns;
};

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// Both clocks at once: of many tries the one that took the fewest ticks, which nothing interrupted.
static struct moment look(void) {
  struct moment best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < kTries; i++) {
    const uint64_t before = __rdtsc();
    const int64_t ns = now_ns();
    const uint64_t took = __rdtsc() - before;
    if (took >= least) continue;
    least = took;
    best = (struct moment){before + took / 2, ns};
  }
  return best;
}

int main(void) {
  const struct timespec apart = {0, kApartNs};
  const struct moment first = look();
  nanosleep(&apart, NULL);
  const struct moment second = look();
  printf("%.0f\n", (double)(second.ticks - first.ticks) / (double)(second.ns - first.ns) * 1e6);
  return 0;
}
