// SPDX-License-Identifier: Apache-2.0
// Whether somebody uses an RDMA port now. Pure.
#pragma once

#include <string>

#include "agent/port/port_counters.h"
#include "api/model/facts.h"

namespace rdmaready {

// Why the port is to be left alone: a process has its device open, a connection is there, something moves, or
// nobody can tell. Empty: none of these. A server that only listens does not use it. The two readings are of
// the port, some moment apart, while this host's agent tests nothing.
std::string UseOf(const Port& port, const CounterReading& before, const CounterReading& after);

}  // namespace rdmaready
