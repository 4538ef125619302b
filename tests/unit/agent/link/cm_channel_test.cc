// SPDX-License-Identifier: Apache-2.0
// What ids ask of the kernel, read at the other end of a pipe that stands for its device; that the kernel does
// it, the fabric suites show.
#include "agent/link/cm_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rdma/rdma_user_cm.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace rdmaready {
namespace {

class FakeKernel {
 public:
  FakeKernel() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    from_ = UniqueFd(ends[0]);
    to_ = UniqueFd(ends[1]);
  }

  int fd() const { return to_.get(); }

  // The next command of that kind; fails when it is another.
  template <class Command>
  Command Take(std::uint32_t verb) {
    struct {
      rdma_ucm_cmd_hdr header;
      Command command;
    } message{};
    EXPECT_EQ(::read(from_.get(), &message, sizeof message), static_cast<ssize_t>(sizeof message));
    EXPECT_EQ(message.header.cmd, verb);
    EXPECT_EQ(message.header.in, sizeof(Command));
    return message.command;
  }

  bool silent() const {
    char byte = 0;
    return ::read(from_.get(), &byte, 1) < 0 && errno == EAGAIN;
  }

 private:
  UniqueFd from_{};
  UniqueFd to_{};
};

TEST(CmId, IsDestroyedOnceByItsLastOwner) {
  FakeKernel kernel;
  {
    CmId first(kernel.fd(), 7);
    CmId second = std::move(first);
    CmId third(kernel.fd(), 8);
    third = std::move(second);
    EXPECT_EQ(kernel.Take<rdma_ucm_destroy_id>(RDMA_USER_CM_CMD_DESTROY_ID).id, 8u);
    EXPECT_TRUE(kernel.silent());
    EXPECT_EQ(third.handle(), 7u);
  }
  EXPECT_EQ(kernel.Take<rdma_ucm_destroy_id>(RDMA_USER_CM_CMD_DESTROY_ID).id, 7u);
  EXPECT_TRUE(kernel.silent());
}

TEST(CmId, SaysWhatARequestIsAcceptedWith) {
  FakeKernel kernel;
  CmId id(kernel.fd(), 7);
  const std::array<std::uint8_t, 3> words{1, 2, 3};
  EXPECT_EQ(id.Accept({.queue_pair = 17,
                       .responder_resources = 4,
                       .initiator_depth = 5,
                       .retries = 6,
                       .receiver_not_ready_retries = 2,
                       .private_data = words}),
            0);
  const auto told = kernel.Take<rdma_ucm_accept>(RDMA_USER_CM_CMD_ACCEPT);
  EXPECT_EQ(told.id, 7u);
  EXPECT_NE(told.uid, 0u) << "the kernel would tell nothing of it any more";
  EXPECT_EQ(told.conn_param.valid, 1);
  EXPECT_EQ(told.conn_param.qp_num, 17u);
  EXPECT_EQ(told.conn_param.responder_resources, 4);
  EXPECT_EQ(told.conn_param.initiator_depth, 5);
  EXPECT_EQ(told.conn_param.retry_count, 6);
  EXPECT_EQ(told.conn_param.rnr_retry_count, 2);
  ASSERT_EQ(told.conn_param.private_data_len, words.size());
  EXPECT_EQ(std::memcmp(told.conn_param.private_data, words.data(), words.size()), 0);
  EXPECT_EQ(told.conn_param.private_data[words.size()], 0) << "nothing of this process's memory goes along";
}

TEST(CmId, AcceptsAnAnswerWithoutParameters) {
  FakeKernel kernel;
  CmId id(kernel.fd(), 7);
  EXPECT_EQ(id.Accept(), 0);
  EXPECT_EQ(kernel.Take<rdma_ucm_accept>(RDMA_USER_CM_CMD_ACCEPT).conn_param.valid, 0);
}

TEST(CmId, BindsAndResolvesAddressesOfBothFamilies) {
  FakeKernel kernel;
  CmId id(kernel.fd(), 7);
  sockaddr_storage address{};
  auto* six = reinterpret_cast<sockaddr_in6*>(&address);
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(445);
  six->sin6_addr.s6_addr[15] = 9;
  six->sin6_scope_id = 3;
  EXPECT_EQ(id.Bind(address), 0);
  const auto bound = kernel.Take<rdma_ucm_bind_ip>(RDMA_USER_CM_CMD_BIND_IP);
  EXPECT_EQ(bound.id, 7u);
  EXPECT_EQ(std::memcmp(&bound.addr, six, sizeof *six), 0);
  EXPECT_EQ(id.ResolveAddress(nullptr, address, 1500), 0);
  const auto resolved = kernel.Take<rdma_ucm_resolve_ip>(RDMA_USER_CM_CMD_RESOLVE_IP);
  EXPECT_EQ(resolved.src_addr.sin6_family, AF_UNSPEC);
  EXPECT_EQ(std::memcmp(&resolved.dst_addr, six, sizeof *six), 0);
  EXPECT_EQ(resolved.timeout_ms, 1500u);
}

TEST(CmId, TellsTheErrnoOfARefusedCommand) {
  const UniqueFd read_only(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  CmId id(read_only.get(), 7);
  CmRoute route;
  EXPECT_EQ(id.Listen(8), EBADF);
  EXPECT_EQ(id.Query(route), EBADF);
}

TEST(CmRoute, LeadsToNoDeviceThatIsNotThere) {
  EXPECT_FALSE(OpenDevice({.node_guid = 0x0123456789abcdef, .device_index = 123456}));
}

}  // namespace
}  // namespace rdmaready
