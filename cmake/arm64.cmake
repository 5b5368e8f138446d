# Toolchain of the preset arm64: Debian's cross compiler, with the headers and libraries of a Debian
# of that architecture in one folder (./test arm makes it: cmake/arm64-root.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(PENNYWORTH_ARM64_ROOT "${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root" CACHE PATH
    "Folder with a Debian of arm64: its headers and libraries")
# What CMake tries while it configures reads this file again, without the cache.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PENNYWORTH_ARM64_ROOT)
get_filename_component(CMAKE_SYSROOT "${PENNYWORTH_ARM64_ROOT}" ABSOLUTE)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH) # d3 comes from this machine: a text for browsers
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

# The processor that the emulator plays: "max" has all that it knows.
set(PENNYWORTH_ARM64_CPU max CACHE STRING "Processor that qemu-aarch64 emulates in tests")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu ${PENNYWORTH_ARM64_CPU}
    -L ${CMAKE_SYSROOT})
