// SPDX-License-Identifier: Apache-2.0
#include "pause.h"

#include <string.h>

enum {
  kOpcodeGlobal = 0x0001,
  kOpcodePriorities = 0x0101,
  kOpcodeBytes = 2,
  kVectorBytes = 2,
  kQuantaBytes = 2 * kPriorities,
};

static const uint8_t kDestination[kMacBytes] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

static void Write16(uint8_t* at, uint16_t value) {
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

static uint16_t Read16(const uint8_t* at) { return (uint16_t)(at[0] << 8 | at[1]); }

void PauseWrite(uint8_t frame[kPauseFrameBytes], const uint8_t* source, uint8_t priorities,
                const uint16_t quanta[kPriorities]) {
  memset(frame, 0, kPauseFrameBytes);
  memcpy(frame, kDestination, kMacBytes);
  memcpy(frame + kMacBytes, source, kMacBytes);
  uint8_t* at = frame + kEthernetBytes;
  Write16(at - 2, kTypeControl);
  Write16(at, kOpcodePriorities);
  Write16(at + kOpcodeBytes, priorities);
  at += kOpcodeBytes + kVectorBytes;
  for (int i = 0; i < kPriorities; i++) Write16(at + 2 * i, priorities >> i & 1 ? quanta[i] : 0);
}

enum ControlKind PauseRead(const uint8_t* data, uint32_t bytes, uint8_t* priorities,
                           uint16_t quanta[kPriorities]) {
  if (bytes < kOpcodeBytes) return kControlBad;
  uint16_t opcode = Read16(data);
  if (opcode == kOpcodeGlobal) return bytes < kOpcodeBytes + 2 ? kControlBad : kControlGlobal;
  if (opcode != kOpcodePriorities || bytes < kOpcodeBytes + kVectorBytes + kQuantaBytes) return kControlBad;
  *priorities = data[kOpcodeBytes + 1];
  for (int i = 0; i < kPriorities; i++) quanta[i] = Read16(data + kOpcodeBytes + kVectorBytes + 2 * i);
  return kControlPriorities;
}

uint64_t PauseDueNs(const struct PauseOut* out, const struct Rate* rate) {
  if (out->wanted != out->sent) return 0;
  if (!out->wanted) return UINT64_MAX;
  return out->sent_ns + RateBitsNs(rate, (uint64_t)kMostQuanta * kQuantumBits) / 2;
}

void PauseSend(struct PauseOut* out, const uint8_t* source, uint64_t now_ns, uint8_t frame[kPauseFrameBytes]) {
  uint16_t quanta[kPriorities];
  for (int i = 0; i < kPriorities; i++) quanta[i] = out->wanted >> i & 1 ? kMostQuanta : 0;
  PauseWrite(frame, source, out->wanted | out->sent, quanta);
  out->sent = out->wanted;
  out->sent_ns = now_ns;
}

uint8_t PauseObey(struct PauseIn* in, const struct Rate* rate, uint8_t lossless, uint8_t priorities,
                  const uint16_t quanta[kPriorities], uint64_t now_ns) {
  uint8_t obeyed = priorities & lossless;
  for (int i = 0; i < kPriorities; i++) {
    if (obeyed >> i & 1) in->until_ns[i] = now_ns + RateBitsNs(rate, (uint64_t)quanta[i] * kQuantumBits);
  }
  return obeyed;
}
