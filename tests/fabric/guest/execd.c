// SPDX-License-Identifier: Apache-2.0
// Runs commands in a guest for "fabric exec", and stands for the guest's time service.
//
//   execd ADDRESS PORT TOKEN-FILE
//
// One TCP connection is one command. Both ways the stream consists of records: type (1 byte), length (32 bits, big
// endian), bytes.
//   to us:    'T' token, then any number of 'A' argument, then 'R' run; after that 'I' input (empty: its end) and
//             'K' kill
//   from us:  'H' hello (token accepted), then 'O' output, 'E' error output, 'X' exit status (4 bytes; 128 + N for a
//             signal)
// The command has its own session. It is killed with all of its process group when the connection ends. The answer
// ends when the command itself does: what it left running in the background keeps running and is not waited for.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMaxRecordBytes = 65536, kMaxArguments = 1024, kTokenBytes = 32, kNotFoundStatus = 127 };

static void Die(const char* action) {
  fprintf(stderr, "execd: %s: %s\n", action, strerror(errno));
  _exit(1);
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

static int WriteAll(int fd, const void* buffer, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    ssize_t put = write(fd, (const char*)buffer + done, bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return 0;
    done += (size_t)put;
  }
  return 1;
}

// Returns the type, or 0 when the connection ended or what came is no record. The buffer gets a final NUL.
static char ReadRecord(int fd, char* buffer, uint32_t* bytes) {
  struct {
    char type;
    uint32_t length;
  } __attribute__((packed)) header;
  if (!ReadAll(fd, &header, sizeof(header))) return 0;
  *bytes = ntohl(header.length);
  if (*bytes > kMaxRecordBytes || !ReadAll(fd, buffer, *bytes)) return 0;
  buffer[*bytes] = 0;
  return header.type;
}

static int WriteRecord(int fd, char type, const void* data, uint32_t bytes) {
  char record[5 + kMaxRecordBytes];
  uint32_t length = htonl(bytes);
  record[0] = type;
  memcpy(record + 1, &length, 4);
  memcpy(record + 5, data, bytes);
  return WriteAll(fd, record, 5 + bytes);
}

static pid_t Start(char** arguments, int pipes[3][2]) {
  for (int i = 0; i < 3; i++) {
    if (pipe2(pipes[i], O_CLOEXEC) < 0) Die("make a pipe");
  }
  pid_t pid = fork();
  if (pid < 0) Die("fork");
  if (pid > 0) {
    close(pipes[0][0]);
    close(pipes[1][1]);
    close(pipes[2][1]);
    return pid;
  }
  setsid();
  signal(SIGPIPE, SIG_DFL);
  dup2(pipes[0][0], 0);
  dup2(pipes[1][1], 1);
  dup2(pipes[2][1], 2);
  execvp(arguments[0], arguments);
  fprintf(stderr, "%s: %s\n", arguments[0], strerror(errno));
  _exit(errno == ENOENT ? kNotFoundStatus : kNotFoundStatus - 1);
}

// Passes on what one pipe holds. Returns 0 at its end or when there is nothing now.
static int Pass(int pipe, int connection, char type) {
  static char buffer[kMaxRecordBytes];
  ssize_t got = read(pipe, buffer, sizeof(buffer));
  if (got < 0 && errno == EINTR) return 1;
  if (got <= 0) return 0;
  return WriteRecord(connection, type, buffer, (uint32_t)got);
}

// Input on its way to the command. Held here while the command does not take it, so that its output still flows.
struct Input {
  int fd;  // non-blocking; -1 once closed
  char data[kMaxRecordBytes + 1];
  uint32_t start, end;
};

static void CloseInput(struct Input* input) {
  if (input->fd >= 0) close(input->fd);
  input->fd = -1;
  input->start = input->end = 0;
}

static void PushInput(struct Input* input) {
  ssize_t put = write(input->fd, input->data + input->start, input->end - input->start);
  if (put < 0 && errno != EAGAIN && errno != EINTR) CloseInput(input);
  if (put > 0) input->start += (uint32_t)put;
  if (input->start == input->end) input->start = input->end = 0;
}

// Takes one record from the connection. Returns 0 when the connection is gone.
static int Obey(int connection, pid_t pid, struct Input* input) {
  static char buffer[kMaxRecordBytes + 1];
  uint32_t bytes = 0;
  char type = ReadRecord(connection, buffer, &bytes);
  if (type == 'I' && bytes == 0) {
    CloseInput(input);
  } else if (type == 'I' && input->fd >= 0) {
    memcpy(input->data, buffer, bytes);
    input->end = bytes;
  } else if (type != 'I') {
    kill(-pid, SIGKILL);
    return type == 'K';
  }
  return 1;
}

static void Attend(int connection, pid_t pid, int pipes[3][2]) {
  static struct Input input;
  input.fd = pipes[0][1];
  fcntl(input.fd, F_SETFL, O_NONBLOCK);
  int child = pidfd_open(pid, 0);
  if (child < 0) Die("open a pidfd");
  enum { kChild, kConnection, kOutput, kError, kInput, kPolled };
  struct pollfd polled[kPolled] = {
      [kChild] = {.fd = child, .events = POLLIN},
      [kConnection] = {.fd = connection},
      [kOutput] = {.fd = pipes[1][0], .events = POLLIN},
      [kError] = {.fd = pipes[2][0], .events = POLLIN},
      [kInput] = {.events = POLLOUT},
  };
  do {
    int holding = input.end > 0;
    polled[kConnection].events = holding ? POLLRDHUP : POLLIN;
    polled[kInput].fd = holding ? input.fd : -1;
    if (poll(polled, kPolled, -1) < 0) {
      if (errno == EINTR) continue;
      Die("poll");
    }
    if (polled[kOutput].revents && !Pass(pipes[1][0], connection, 'O')) polled[kOutput].fd = -1;
    if (polled[kError].revents && !Pass(pipes[2][0], connection, 'E')) polled[kError].fd = -1;
    if (polled[kInput].revents && holding) PushInput(&input);
    if (polled[kConnection].revents && !Obey(connection, pid, &input)) return;
  } while (!(polled[kChild].revents & POLLIN));

  // The command has ended: the rest of what it wrote, then its status.
  fcntl(pipes[1][0], F_SETFL, O_NONBLOCK);
  fcntl(pipes[2][0], F_SETFL, O_NONBLOCK);
  while (polled[kOutput].fd >= 0 && Pass(pipes[1][0], connection, 'O')) continue;
  while (polled[kError].fd >= 0 && Pass(pipes[2][0], connection, 'E')) continue;
  int status = 0;
  if (waitpid(pid, &status, 0) < 0) Die("wait for the command");
  uint32_t reported = htonl((uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
  WriteRecord(connection, 'X', &reported, sizeof(reported));
}

static void Serve(int connection, const char* token) {
  static char buffer[kMaxRecordBytes + 1];
  char* arguments[kMaxArguments + 1] = {0};
  uint32_t bytes = 0;
  if (ReadRecord(connection, buffer, &bytes) != 'T' || bytes != kTokenBytes || memcmp(buffer, token, kTokenBytes) != 0) return;
  if (!WriteRecord(connection, 'H', "", 0)) return;
  int count = 0;
  char type;
  while ((type = ReadRecord(connection, buffer, &bytes)) == 'A' && count < kMaxArguments) {
    arguments[count++] = strdup(buffer);
  }
  if (type != 'R' || count == 0) return;
  int pipes[3][2];
  pid_t pid = Start(arguments, pipes);
  Attend(connection, pid, pipes);
}

static int Listen(const char* address, const char* port) {
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int on = 1;
  if (fd < 0 || inet_pton(AF_INET, address, &name.sin_addr) != 1) Die("make a socket");
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, (struct sockaddr*)&name, sizeof(name)) < 0 || listen(fd, 64) < 0) Die("listen");
  return fd;
}

// The clock of a guest is QEMU's, which follows that of the machine. Only a time service tells the kernel so. What an RTC
// in whole seconds leaves open, when the kernel sets its clock by it at boot, is the error. The kernel forgets it when it changes its clock
// source, and is told again.
static void KeepClock(void) {
  enum { kErrorUs = 1000000, kPauseSeconds = 30 };
  for (;;) {
    struct timex clock = {.modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR, .maxerror = kErrorUs, .esterror = kErrorUs / 2};
    if (adjtimex(&clock) < 0) Die("tell the kernel of its clock");
    sleep(kPauseSeconds);
  }
}

int main(int argc, char** argv) {
  char token[kTokenBytes];
  if (argc != 4) {
    fprintf(stderr, "usage: execd ADDRESS PORT TOKEN-FILE\n");
    return 2;
  }
  int token_file = open(argv[3], O_RDONLY | O_CLOEXEC);
  if (token_file < 0 || !ReadAll(token_file, token, sizeof(token))) Die("read the token");
  close(token_file);
  signal(SIGPIPE, SIG_IGN);
  pid_t clock = fork();
  if (clock < 0) Die("fork");
  if (clock == 0) KeepClock();
  int listener = Listen(argv[1], argv[2]);
  for (;;) {
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) continue;
    int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    // Twice, so that sessions are init's children and leave no zombies here.
    pid_t pid = fork();
    if (pid == 0) {
      if (fork() == 0) Serve(connection, token);
      _exit(0);
    }
    close(connection);
    if (pid > 0) waitpid(pid, NULL, 0);
  }
}
