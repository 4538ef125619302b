// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control (802.1Q clause 36, once 802.1Qbb): the frames, the link partners that the switch
// has stopped, and those that have stopped it.
#ifndef FABRIC_HUB_PAUSE_H_
#define FABRIC_HUB_PAUSE_H_

#include "classify.h"
#include "rate.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  kTypeControl = 0x8808,  // MAC control: never forwarded
  kPauseFrameBytes = 60,  // without the check sequence
  kQuantumBits = 512,
  kMostQuanta = 0xffff,
};

// A pause frame as 802.1Q figure 36-4 has it: for each bit of `priorities`, stop for so many quanta; 0: go on.
void PauseWrite(uint8_t frame[kPauseFrameBytes], const uint8_t* source, uint8_t priorities,
                const uint16_t quanta[kPriorities]);

enum ControlKind {
  kControlPriorities,  // a PFC frame
  kControlGlobal,      // a pause of 802.3 annex 31B for the whole link
  kControlBad,         // another opcode, or too short
};

// `data` is behind the type. Fills `priorities` and `quanta` of a PFC frame.
enum ControlKind PauseRead(const uint8_t* data, uint32_t bytes, uint8_t* priorities,
                           uint16_t quanta[kPriorities]);

// The link partner of an ingress port: which priorities it is to stop, and which it was last sent a stop for.
// Bits by priority.
struct PauseOut {
  uint8_t wanted, sent;
  uint64_t sent_ns;  // of the last frame that stops any
};

// When the next frame to the partner is due; UINT64_MAX: none. A stop is renewed after half its time.
uint64_t PauseDueNs(const struct PauseOut* out, const struct Rate* rate);
// Writes that frame: it stops all that is wanted, and lets the others go on that were stopped. Notes it as
// sent.
void PauseSend(struct PauseOut* out, const uint8_t* source, uint64_t now_ns, uint8_t frame[kPauseFrameBytes]);

// Until when the link partner of an egress port has stopped each priority.
struct PauseIn {
  uint64_t until_ns[kPriorities];
};

// Obeys for the priorities of `lossless` and returns those that were obeyed.
uint8_t PauseObey(struct PauseIn* in, const struct Rate* rate, uint8_t lossless, uint8_t priorities,
                  const uint16_t quanta[kPriorities], uint64_t now_ns);

#ifdef __cplusplus
}
#endif
#endif
