# SPDX-License-Identifier: Apache-2.0
# Three Debian packages from one build: rdmaready (the command), rdmaready-agent (the service) and rdmaready-hub (the centre of a fleet). Made by packaging/build-packages.
set(deb "${CMAKE_CURRENT_SOURCE_DIR}/deb")
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VENDOR "rdmaready")
set(CPACK_PACKAGE_CONTACT "rdmaready maintainers <maintainers@rdmaready.invalid>")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://rdmaready.invalid/")
set(CPACK_COMPONENTS_ALL cli agent hub)
set(CPACK_STRIP_FILES ON)
# /etc stands beside the prefix: without a DESTDIR it would be written to this machine's.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE "${deb}/release.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # unpacked in a second where xz takes five

set(CPACK_DEBIAN_CLI_PACKAGE_NAME rdmaready)
set(CPACK_DEBIAN_CLI_PACKAGE_SECTION admin)
set(CPACK_COMPONENT_CLI_DESCRIPTION "whether hosts are ready for RDMA storage
Says whether hosts and the fabric between them are ready for SMB Direct,
NVMe-oF, iSER and NFS over RDMA, proves it by live transfers of which every
byte is verified, and names the command that puts right what is not.

It asks the agents of any number of hosts, and needs none for its own.")
set(CPACK_DEBIAN_CLI_PACKAGE_RECOMMENDS "ibverbs-providers")

set(CPACK_DEBIAN_AGENT_PACKAGE_NAME rdmaready-agent)
set(CPACK_DEBIAN_AGENT_PACKAGE_SECTION admin)
set(CPACK_COMPONENT_AGENT_DESCRIPTION "service that answers whether this host is ready for RDMA storage
Reads what the kernel knows of the RDMA NICs of this host, judges it, keeps
what it found, and makes live transfers when it is asked for them. It runs as
a user of its own without any capability; what only an administrator may do
is done by helpers with a closed list of questions.")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "systemd (>= 252), init-system-helpers (>= 1.54~), kmod, procps")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS "ibverbs-providers, rdmaready, rdma-core")
set(CPACK_DEBIAN_AGENT_PACKAGE_SUGGESTS "apparmor")

set(CPACK_DEBIAN_HUB_PACKAGE_NAME rdmaready-hub)
set(CPACK_DEBIAN_HUB_PACKAGE_SECTION admin)
set(CPACK_COMPONENT_HUB_DESCRIPTION "service that knows which hosts of a fleet are ready for RDMA storage
Takes what the agents of any number of hosts report, judges it, keeps what
changed, and answers for all of them. One machine of a fleet needs it; it
reads nothing of that machine, and runs as a user of its own without any
capability.")
set(CPACK_DEBIAN_HUB_PACKAGE_DEPENDS "systemd (>= 252), init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_HUB_PACKAGE_RECOMMENDS "rdmaready")
set(CPACK_DEBIAN_HUB_PACKAGE_SUGGESTS "apparmor")

# The maintainer scripts name the units, so they are made of what is built.
set(scripts "${made}/deb")
set(sockets "")
set(services "")
foreach(process IN LISTS processes)
  file(GLOB units RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/systemd" "${CMAKE_CURRENT_SOURCE_DIR}/systemd/rdmaready-${process}*.in")
  list(TRANSFORM units REPLACE "\\.in$" "")
  set(${process}_profile "rdmaready-${process}")
  foreach(unit IN LISTS units)
    if(unit MATCHES "socket$")
      list(APPEND sockets ${unit})
    else()
      list(APPEND services ${unit})
    endif()
  endforeach()
endforeach()
# Off until somebody asks for it.
set(enabled ${sockets} rdmaready-agent.service)
list(REMOVE_ITEM enabled rdmaready-prover.socket rdmaready-applier.socket rdmaready-pauser.socket)
list(TRANSFORM processes PREPEND "rdmaready-" OUTPUT_VARIABLE profiles)
set(all ${sockets} ${services})
set(enabled_sockets ${enabled})
list(FILTER enabled_sockets INCLUDE REGEX "socket$")
set(helper_services ${services})
# The applier is no helper that is just stopped: it may have a change open, and looks after what is kept.
list(REMOVE_ITEM helper_services rdmaready-agent.service rdmaready-applier.service)
foreach(list sockets services enabled enabled_sockets helper_services profiles all)
  list(JOIN ${list} " " ${list})
  string(TOUPPER "${list}" upper)
  set(${upper} "${${list}}")
endforeach()
foreach(script postinst prerm postrm)
  configure_file("${deb}/agent/${script}.in" "${scripts}/${script}" @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set(conffiles "/etc/rdmaready/agent.yaml\n")
string(REPLACE " " ";" profile_list "${profiles}")
foreach(profile IN LISTS profile_list)
  string(APPEND conffiles "/etc/apparmor.d/${profile}\n")
endforeach()
file(WRITE "${scripts}/conffiles" "${conffiles}")
file(CHMOD "${scripts}/conffiles" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA "${scripts}/postinst;${scripts}/prerm;${scripts}/postrm;${scripts}/conffiles")

set(hub_scripts "${made}/deb-hub")
foreach(script postinst prerm postrm)
  configure_file("${deb}/hub/${script}" "${hub_scripts}/${script}" COPYONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
file(WRITE "${hub_scripts}/conffiles" "/etc/rdmaready/hub.yaml\n/etc/apparmor.d/rdmaready-hub\n")
file(CHMOD "${hub_scripts}/conffiles" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
set(CPACK_DEBIAN_HUB_PACKAGE_CONTROL_EXTRA "${hub_scripts}/postinst;${hub_scripts}/prerm;${hub_scripts}/postrm;${hub_scripts}/conffiles")

include(CPack)
