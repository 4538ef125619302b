// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/rdma_cm.h"

#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

TEST(RoceMode, KnowsTheKernelsTwoWords) {
  EXPECT_EQ(*DecodeRoceMode("RoCE v2\n"), GidType::kRoceV2);
  EXPECT_EQ(*DecodeRoceMode("IB/RoCE v1\n"), GidType::kRoceV1);
  EXPECT_EQ(DecodeRoceMode("RoCE v3\n").missing(),
            (Missing{Missing::Kind::kFailed, "unknown RoCE mode \"RoCE v3\""}));
}

TEST(RoceTos, IsANumberOfOneByte) {
  EXPECT_EQ(*DecodeRoceTos("0\n"), 0);
  EXPECT_EQ(*DecodeRoceTos("255\n"), 255);
  for (const char* text : {"", "\n", "256\n", "-1\n", "0x68\n", "12 13\n"})
    EXPECT_FALSE(DecodeRoceTos(text)) << text;
}

TEST(RdmaCm, DefaultsAreReadOnRoce) {
  FakeHost host;
  host.cm_defaults[{"rxe0", 1}] = RdmaCmAnswer{"RoCE v2\n", "104\n"};
  const RdmaCmDefaults defaults = ReadRdmaCmDefaults(host, "rxe0", 1, Transport::kRoce);
  EXPECT_EQ(*defaults.mode, GidType::kRoceV2);
  EXPECT_EQ(*defaults.tos, 104);
}

TEST(RdmaCm, OtherTransportsAreNotAsked) {
  FakeHost host;
  for (const Transport transport : {Transport::kInfiniBand, Transport::kIwarp}) {
    const RdmaCmDefaults defaults = ReadRdmaCmDefaults(host, "siw0", 1, transport);
    EXPECT_EQ(defaults.tos.missing(), (Missing{Missing::Kind::kUnsupported, "RoCE only"}));
  }
  EXPECT_TRUE(host.asked.empty());
}

TEST(RdmaCm, AnUnknownTransportIsNotAskedAndSaysWhy) {
  FakeHost host;
  const Missing why{Missing::Kind::kFailed, "read node_type: Input/output error"};
  EXPECT_EQ(ReadRdmaCmDefaults(host, "rxe0", 1, why).mode.missing(), why);
  EXPECT_TRUE(host.asked.empty());
}

TEST(RdmaCm, WithoutPrivilegeTheDefaultsAreDenied) {
  FakeHost host;
  host.cm_defaults[{"rxe0", 1}] = ErrnoStatus(EACCES, "create /sys/kernel/config/rdma_cm/rxe0");
  EXPECT_EQ(ReadRdmaCmDefaults(host, "rxe0", 1, Transport::kRoce).tos.missing(),
            (Missing{Missing::Kind::kDenied, "create /sys/kernel/config/rdma_cm/rxe0: Permission denied"}));
}

}  // namespace
}  // namespace rdmaready
