# cmake --install: the two programs, what a person reads, the service, and what is in them.
include(GNUInstallDirs)
set(DOC ${CMAKE_INSTALL_DATADIR}/doc/pennyworth)

install(TARGETS pennyworth pennyworth-worker DESTINATION ${CMAKE_INSTALL_BINDIR})

file(GLOB DOCUMENTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/*.md ${CMAKE_SOURCE_DIR}/LICENSE)
list(FILTER DOCUMENTS EXCLUDE REGEX "/CONTRIBUTING\\.md$")
install(FILES ${DOCUMENTS} DESTINATION ${DOC})
# D3 is in the server, and its licence wants to be where the server is.
install(FILES /usr/share/doc/node-d3/copyright DESTINATION ${DOC} RENAME LICENSE.d3 OPTIONAL)
file(GLOB MANUALS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/man/*.1)
install(FILES ${MANUALS} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
file(GLOB UNITS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/deploy/systemd/*.service)
install(FILES ${UNITS} DESTINATION lib/systemd/system)

# The software bill of materials. As the last step of an installation, since stripping changes the
# programs; and as a target, for those that are in the build folder.
set(SBOM ${CMAKE_SOURCE_DIR}/cmake/sbom.sh --version ${PROJECT_VERSION}
    --commit ${PENNYWORTH_COMMIT} --d3 ${D3})
add_custom_target(sbom
    COMMAND ${SBOM} $<TARGET_FILE:pennyworth> $<TARGET_FILE:pennyworth-worker>
        > ${CMAKE_BINARY_DIR}/sbom.spdx.json
    DEPENDS pennyworth pennyworth-worker
    VERBATIM)
install(CODE "set(SBOM ${SBOM})\nset(BIN ${CMAKE_INSTALL_BINDIR})\nset(DOC ${DOC})")
install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/sbom.cmake)
