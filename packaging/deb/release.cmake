# SPDX-License-Identifier: Apache-2.0
# Read by cpack: which package of one version this is.
if(DEFINED ENV{RDMAREADY_PACKAGE_RELEASE})
  set(CPACK_DEBIAN_PACKAGE_RELEASE "$ENV{RDMAREADY_PACKAGE_RELEASE}")
else()
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
endif()
