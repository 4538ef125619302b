# SPDX-License-Identifier: Apache-2.0
# Runs at installation: fills the paths of this installation into what names them, and installs that. Given: component, family, processes,
# made, source, version.
include("${source}/sandbox.cmake")

# What is /usr/bin of a prefix /usr is /usr/local/bin of /usr/local; only /etc stands beside /usr.
set(PREFIX "${CMAKE_INSTALL_PREFIX}")
set(BINDIR "${PREFIX}/bin")
set(SBINDIR "${PREFIX}/sbin")
set(LIBEXECDIR "${PREFIX}/libexec")
set(DATADIR "${PREFIX}/share")
set(DOCDIR "${PREFIX}/share/doc")
if(PREFIX STREQUAL "/usr")
  set(ETC "/etc")
  set(LIB "/lib")
  set(UNITS "/lib/systemd/system")
else()
  set(ETC "${PREFIX}/etc")
  set(UNITS "${PREFIX}/lib/systemd/system")
endif()
if(family STREQUAL "redhat")
  set(UNITS "${PREFIX}/lib/systemd/system")
endif()
set(CONFDIR "${ETC}/rdmaready")

foreach(process IN LISTS processes)
  string(TOUPPER "${process}" upper)
  sandbox_lines(${upper})
  file(READ "${made}/${process}.unit" ${upper}_CAPABILITY_LINES)
  file(READ "${made}/${process}.apparmor" ${upper}_APPARMOR_CAPABILITIES)
  string(STRIP "${${upper}_CAPABILITY_LINES}" ${upper}_CAPABILITY_LINES)
  string(REGEX REPLACE "\n$" "" ${upper}_APPARMOR_CAPABILITIES "${${upper}_APPARMOR_CAPABILITIES}")
endforeach()

# place(TEMPLATE DIRECTORY NAME): a file with its paths filled in.
function(place template directory name)
  set(filled "${made}/filled/${name}")
  configure_file("${source}/${template}" "${filled}" @ONLY)
  file(INSTALL FILES "${filled}" DESTINATION "${directory}" TYPE FILE
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

if(component STREQUAL "agent")
  foreach(process IN LISTS processes)
    file(GLOB units RELATIVE "${source}" "${source}/systemd/rdmaready-${process}*.in")
    foreach(unit IN LISTS units)
      string(REGEX REPLACE "^systemd/(.*)\\.in$" "\\1" name "${unit}")
      place("${unit}" "${UNITS}" "${name}")
    endforeach()
    if(family STREQUAL "debian")
      place("apparmor/rdmaready-${process}.in" "${ETC}/apparmor.d" "rdmaready-${process}")
    endif()
  endforeach()
  place(config/agent.yaml "${CONFDIR}" agent.yaml)
  place(config/sysusers.conf "${PREFIX}/lib/sysusers.d" rdmaready.conf)
  place(config/tmpfiles.conf "${PREFIX}/lib/tmpfiles.d" rdmaready.conf)
endif()

# It has no right at all, so it is in no row of the rights table.
if(component STREQUAL "hub")
  sandbox_lines(HUB)
  place(systemd/rdmaready-hub.service.in "${UNITS}" rdmaready-hub.service)
  if(family STREQUAL "debian")
    place(apparmor/rdmaready-hub.in "${ETC}/apparmor.d" rdmaready-hub)
  endif()
  place(config/hub.yaml "${CONFDIR}" hub.yaml)
  place(config/sysusers-hub.conf "${PREFIX}/lib/sysusers.d" rdmaready-hub.conf)
endif()

# --- What Debian's policy asks of a package. Other installations have no use for it.
if(DEFINED ENV{RDMAREADY_PACKAGE_RELEASE})
  set(RELEASE "$ENV{RDMAREADY_PACKAGE_RELEASE}")
  set(DATE "$ENV{RDMAREADY_PACKAGE_DATE}")
  set(package rdmaready)
  if(NOT component STREQUAL "cli")
    set(package rdmaready-${component})
  endif()
  file(INSTALL FILES "${source}/deb/copyright" DESTINATION "${DOCDIR}/${package}" TYPE FILE)
  # Of what is linked in (lib/archives.cmake): their licences want their text beside the program.
  foreach(linked libabsl-dev libgrpc-dev libprotobuf-dev libre2-dev libyaml-cpp-dev)
    file(INSTALL FILES "/usr/share/doc/${linked}/copyright" DESTINATION "${DOCDIR}/${package}" TYPE FILE RENAME "copyright.${linked}")
  endforeach()
  file(WRITE "${made}/filled/changelog.Debian" "rdmaready (${version}-${RELEASE}) unstable; urgency=medium

  * Packages of rdmaready ${version}.

 -- rdmaready maintainers <maintainers@rdmaready.invalid>  ${DATE}
")
  execute_process(COMMAND gzip -9nf "${made}/filled/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL FILES "${made}/filled/changelog.Debian.gz" DESTINATION "${DOCDIR}/${package}" TYPE FILE)
  if(EXISTS "${source}/deb/${component}/lintian-overrides")
    file(INSTALL FILES "${source}/deb/${component}/lintian-overrides" DESTINATION "${DATADIR}/lintian/overrides" TYPE FILE RENAME ${package})
  endif()
endif()
