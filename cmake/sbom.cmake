# Writes the SBOM of what was just installed; cmake/install.cmake says what SBOM, BIN and DOC are.
set(TOP $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
set(FILE ${TOP}/${DOC}/sbom.spdx.json)
execute_process(
    COMMAND ${SBOM} ${TOP}/${BIN}/pennyworth ${TOP}/${BIN}/pennyworth-worker
    OUTPUT_FILE ${FILE} RESULT_VARIABLE FAILED)
if(FAILED)
    file(REMOVE ${FILE})
    message(FATAL_ERROR "the bill of materials could not be written to ${FILE}")
endif()
message(STATUS "Installing: ${FILE}")
