// SPDX-License-Identifier: Apache-2.0
// A guest's disk with a volatile write cache, as a process of its own: an NBD server on a unix socket.
//
//   disk SOCKET IMAGE DEADLINE_S
//
// What is written stays in memory until the guest flushes; only then does it reach IMAGE. When the guest goes away (its
// kernel crashed, its QEMU was killed), the disk still has power and writes out what it holds. When this process itself
// gets SIGKILL, that is a power cut: what was not flushed is lost. One guest at a time; ends by itself after DEADLINE_S.
//
// Of the NBD protocol only what QEMU's client needs: fixed newstyle negotiation, simple replies.

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
  kSectorBytes = 512,
  kMaxOptionBytes = 4096,
  kMaxRequestBytes = 32 << 20,  // the largest that a client may send unasked
  kFixedNewstyle = 1,
  kTransmissionFlags = 1 | 4,  // has flags, has flush
  kReplyAck = 1,
  kReplyInfo = 3,
  kInfoExport = 0,
};
static const uint64_t kServerMagic = 0x4e42444d41474943, kOptionMagic = 0x49484156454f5054, kOptionReplyMagic = 0x3e889045565a9;
static const uint32_t kRequestMagic = 0x25609513, kReplyMagic = 0x67446698, kReplyUnsupported = 0x80000001;
enum Option { kExportName = 1, kAbort = 2, kInfo = 6, kGo = 7 };
enum Command { kRead, kWrite, kDisconnect, kFlush };

static int image;
static uint64_t size;
static uint8_t* content;  // as the guest sees it
static uint8_t* dirty;    // by sector: not in the image yet

static void Die(const char* action, const char* object) {
  fprintf(stderr, "disk: %s %s: %s\n", action, object, strerror(errno));
  exit(1);
}

static int ReadAll(int fd, void* buffer, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t got = read(fd, (char*)buffer + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    done += (size_t)got;
  }
  return 1;
}

static int SendAll(int fd, const void* buffer, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t put = send(fd, (const char*)buffer + done, bytes - done, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return 0;
    done += (size_t)put;
  }
  return 1;
}

static void OpenImage(const char* path) {
  struct stat info;
  image = open(path, O_RDWR | O_CLOEXEC);
  if (image < 0 || fstat(image, &info) < 0) Die("open", path);
  size = (uint64_t)info.st_size / kSectorBytes * kSectorBytes;
  content = malloc(size);
  dirty = calloc(size / kSectorBytes, 1);
  if (!content || !dirty) Die("hold", path);
  if (!ReadAll(image, content, size)) Die("read", path);
}

// Returns 0 when the image did not take it all; what it did not take stays dirty.
static int WriteOut(void) {
  for (uint64_t sector = 0; sector < size / kSectorBytes; sector++) {
    if (!dirty[sector]) continue;
    off_t offset = (off_t)(sector * kSectorBytes);
    if (pwrite(image, content + offset, kSectorBytes, offset) != kSectorBytes) return 0;
    dirty[sector] = 0;
  }
  return 1;
}

static int ReplyToOption(int fd, uint32_t option, uint32_t type, const void* data, uint32_t bytes) {
  struct {
    uint64_t magic;
    uint32_t option, type, length;
  } __attribute__((packed)) header = {htobe64(kOptionReplyMagic), htobe32(option), htobe32(type), htobe32(bytes)};
  return SendAll(fd, &header, sizeof(header)) && SendAll(fd, data, bytes);
}

// Returns 1 when the client wants to go on to requests, 0 when it is gone.
static int Negotiate(int fd) {
  struct {
    uint64_t magic, option_magic;
    uint16_t flags;
  } __attribute__((packed)) hello = {htobe64(kServerMagic), htobe64(kOptionMagic), htobe16(kFixedNewstyle)};
  uint32_t client_flags;
  if (!SendAll(fd, &hello, sizeof(hello)) || !ReadAll(fd, &client_flags, sizeof(client_flags))) return 0;
  for (;;) {
    struct {
      uint64_t magic;
      uint32_t option, length;
    } __attribute__((packed)) request;
    char data[kMaxOptionBytes];
    if (!ReadAll(fd, &request, sizeof(request))) return 0;
    uint32_t option = be32toh(request.option), length = be32toh(request.length);
    if (be64toh(request.magic) != kOptionMagic || length > sizeof(data) || !ReadAll(fd, data, length)) return 0;
    if (option != kInfo && option != kGo) {
      if (option == kAbort || option == kExportName || !ReplyToOption(fd, option, kReplyUnsupported, "", 0)) return 0;
      continue;
    }
    struct {
      uint16_t type;
      uint64_t size;
      uint16_t flags;
    } __attribute__((packed)) export = {htobe16(kInfoExport), htobe64(size), htobe16(kTransmissionFlags)};
    if (!ReplyToOption(fd, option, kReplyInfo, &export, sizeof(export)) || !ReplyToOption(fd, option, kReplyAck, "", 0)) return 0;
    if (option == kGo) return 1;
  }
}

// Takes one request. Returns 0 when the client is gone.
static int Serve(int fd) {
  struct {
    uint32_t magic;
    uint16_t flags, command;
    uint64_t handle, offset;
    uint32_t length;
  } __attribute__((packed)) request;
  struct {
    uint32_t magic, error;
    uint64_t handle;
  } __attribute__((packed)) reply = {.magic = htobe32(kReplyMagic)};
  if (!ReadAll(fd, &request, sizeof(request)) || be32toh(request.magic) != kRequestMagic) return 0;
  uint16_t command = be16toh(request.command);
  uint64_t offset = be64toh(request.offset);
  uint32_t length = be32toh(request.length);
  reply.handle = request.handle;

  // A request beyond the end is none of QEMU's: no answer would help it.
  if ((command == kRead || command == kWrite) && (length > kMaxRequestBytes || offset > size || length > size - offset)) return 0;
  switch (command) {
    case kRead:
      return SendAll(fd, &reply, sizeof(reply)) && SendAll(fd, content + offset, length);
    case kWrite:
      if (!ReadAll(fd, content + offset, length)) return 0;
      if (length > 0) memset(dirty + offset / kSectorBytes, 1, (offset + length - 1) / kSectorBytes - offset / kSectorBytes + 1);
      break;
    case kFlush:
      if (!WriteOut()) reply.error = htobe32(EIO);
      break;
    case kDisconnect:
      return 0;
    default:
      reply.error = htobe32(EINVAL);
      break;
  }
  return SendAll(fd, &reply, sizeof(reply));
}

static int Listen(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    Die("listen on", path);
  }
  strcpy(address.sun_path, path);
  // A disk that lost its power left its socket behind.
  unlink(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr*)&address, sizeof(address)) < 0 || listen(fd, 1) < 0) Die("listen on", path);
  return fd;
}

int main(int argc, char** argv) {
  if (argc != 4 || atoi(argv[3]) <= 0) {
    fprintf(stderr, "usage: disk SOCKET IMAGE DEADLINE_S\n");
    return 2;
  }
  umask(077);
  OpenImage(argv[2]);
  int listener = Listen(argv[1]);
  alarm((unsigned)atoi(argv[3]));
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) continue;
    if (Negotiate(fd)) {
      while (Serve(fd)) continue;
    }
    close(fd);
    if (!WriteOut()) Die("write to", argv[2]);
  }
}
