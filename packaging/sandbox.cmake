# SPDX-License-Identifier: Apache-2.0
# What the sandbox of each process opens, written once: the units and the AppArmor profiles are made from it. Capabilities are not here:
# they are in the rights table, api/model/rights.h.

# DEVICES: what systemd knows a device by, "|", the file, and where it is not rw, "|" and what it is.
set(AGENT_DEVICES "char-infiniband_verbs|/dev/infiniband/uverbs[0-9]*" "/dev/infiniband/rdma_cm|/dev/infiniband/rdma_cm")
set(AGENT_FAMILIES unix inet inet6 netlink)
set(AGENT_WRITES "/var/lib/rdmaready/" "/run/rdmaready/locks/" "/var/log/rdmaready/")
set(AGENT_MEMLOCK 192M)  # two ends of a loopback test of 64 MiB each, and their queues
set(AGENT_MEMORY 512M)

set(READER_DEVICES "char-infiniband_mad|/dev/infiniband/umad[0-9]*" "char-infiniband_verbs|/dev/infiniband/uverbs[0-9]*")
set(READER_FAMILIES unix netlink inet)
set(READER_WRITES "/sys/kernel/config/rdma_cm/")

set(LISTENER_DEVICES "")
set(LISTENER_FAMILIES unix netlink packet)
set(LISTENER_WRITES "")

# It connects nothing by itself: the kernel does. Disks are read only.
set(PROVER_DEVICES "/dev/nvme-fabrics|/dev/nvme-fabrics" "block-blkext|/dev/nvme[0-9]*n[0-9]*|r")
set(PROVER_FAMILIES unix netlink)
set(PROVER_WRITES "/sys/devices/virtual/nvme-fabrics/")  # delete_controller; there once nvme-fabrics is loaded, as its device

# It reads what the agent reads, and writes what is not done by netlink. Its state directory is its unit's.
set(APPLIER_DEVICES "char-infiniband_verbs|/dev/infiniband/uverbs[0-9]*")
set(APPLIER_FAMILIES unix netlink inet)
set(APPLIER_WRITES "/var/lib/rdmaready-applier/" "/proc/sys/net/ipv4/conf/" "/sys/kernel/config/rdma_cm/")
# Files for the next boot, where apply.yaml says `files: true`: a folder, "|", and what it may have there (checks/plan/boot_files.cc). A unit
# opens the folder, an AppArmor profile these names alone, with the temporary file beside each.
set(APPLIER_FILES
  "/etc/systemd/network|98-rdma-*.link" "/etc/systemd/network|*.{link,network}.d/" "/etc/systemd/network|*.{link,network}.d/*rdma.conf"
  "/etc/systemd/system|rdma-{mtu,dcb,vlan}-*.service" "/etc/systemd/system|sys-subsystem-net-devices-*.device.wants/"
  "/etc/systemd/system|sys-subsystem-net-devices-*.device.wants/rdma-{mtu,dcb,vlan}-*.service"
  "/etc/netplan|90-rdmaready-*.yaml" "/etc/NetworkManager/conf.d|90-rdmaready-*.conf" "/etc/sysctl.d|*rdmaready.conf"
  "/etc/udev/rules.d|90-rdma-tos.rules")

# It sends, and hears nothing. Its state directory is its unit's.
set(PAUSER_DEVICES "")
set(PAUSER_FAMILIES unix packet)
set(PAUSER_WRITES "/var/lib/rdmaready-pauser/")

# It reads no host: what it knows it is told.
set(HUB_DEVICES "")
set(HUB_FAMILIES inet inet6 unix)
set(HUB_WRITES "/var/lib/rdmaready-hub/")
set(HUB_MEMORY 4G)  # gRPC's buffers alone may take 2

# sandbox_lines(PROCESS): sets PROCESS_DEVICE_LINES, PROCESS_WRITE_LINES and PROCESS_FAMILY_LINES for a unit, PROCESS_RULES for an AppArmor profile.
function(sandbox_lines process)
  set(device_lines "")
  set(rules "")
  set(write_lines "")
  foreach(device IN LISTS ${process}_DEVICES)
    string(REPLACE "|" ";" device "${device}")
    list(GET device 0 named)
    list(GET device 1 file)
    list(LENGTH device parts)
    set(access rw)
    if(parts EQUAL 3)
      list(GET device 2 access)
    endif()
    string(APPEND device_lines "DeviceAllow=${named} ${access}\n")
    string(APPEND rules "  ${file} ${access},\n")
  endforeach()
  set(families "")
  foreach(family IN LISTS ${process}_FAMILIES)
    string(TOUPPER "AF_${family}" name)
    list(APPEND families "${name}")
    string(APPEND rules "  network ${family},\n")
  endforeach()
  foreach(path IN LISTS ${process}_WRITES)
    string(APPEND rules "  ${path} rw,\n  ${path}** rwk,\n")
    # What is not there when the process starts is not asked for.
    string(REGEX REPLACE "/$" "" path "${path}")
    string(APPEND write_lines "ReadWritePaths=-${path}\n")
  endforeach()
  set(folders "")
  foreach(file IN LISTS ${process}_FILES)
    string(REPLACE "|" ";" file "${file}")
    list(GET file 0 folder)
    list(GET file 1 name)
    list(FIND folders "${folder}" known)  # no IN_LIST: an installation sets no policies
    if(known EQUAL -1)
      list(APPEND folders "${folder}")
      string(APPEND write_lines "ReadWritePaths=-${folder}\n")
    endif()
    # A file system without the flags of renameat2 names files by links.
    string(APPEND rules "  ${folder}/${name} rwl,\n")
    if(NOT name MATCHES "/$")
      string(REGEX REPLACE "([^/]+)$" ".\\1.new" beside "${folder}/${name}")
      string(APPEND rules "  ${beside} rwl,\n  ${beside}.old rwl,\n")
    endif()
  endforeach()
  string(STRIP "${write_lines}" write_lines)
  set(${process}_WRITE_LINES "${write_lines}" PARENT_SCOPE)
  list(JOIN families " " families)
  string(STRIP "${device_lines}" device_lines)
  set(${process}_DEVICE_LINES "${device_lines}" PARENT_SCOPE)
  set(${process}_FAMILY_LINES "RestrictAddressFamilies=${families}" PARENT_SCOPE)
  string(REGEX REPLACE "\n$" "" rules "${rules}")
  set(${process}_RULES "${rules}" PARENT_SCOPE)
endfunction()
