# The call-graph page: web/ built by Vite into one file, and that file as bytes in a .cpp of the room `graph`.
#
# npm is asked only when web/ has changed: packages when the lock file is newer than what is installed, the page when a
# source is newer than the page. The build folder holds all that is made but web/node_modules.

find_program(BACKEDGE_NPM npm)
find_program(BACKEDGE_NODE NAMES node nodejs)
if(NOT BACKEDGE_NPM OR NOT BACKEDGE_NODE)
  message(FATAL_ERROR "npm or node is missing, which builds the page of backedge graph; scripts/setup installs both")
endif()

set(backedge_web ${PROJECT_SOURCE_DIR}/web)
set(backedge_web_build ${PROJECT_BINARY_DIR}/web)
set(backedge_page ${backedge_web_build}/page.html)
# npm writes this file at the end of an installation.
set(backedge_web_packages ${backedge_web}/node_modules/.package-lock.json)

file(GLOB backedge_web_sources CONFIGURE_DEPENDS ${backedge_web}/src/*.ts ${backedge_web}/src/*.css)
list(APPEND backedge_web_sources ${backedge_web}/page.html ${backedge_web}/vite.config.ts ${backedge_web}/tsconfig.json)

add_custom_command(
  OUTPUT ${backedge_web_packages}
  COMMAND ${BACKEDGE_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${backedge_web_packages}
  DEPENDS ${backedge_web}/package.json ${backedge_web}/package-lock.json
  WORKING_DIRECTORY ${backedge_web}
  COMMENT "Installing what web/package-lock.json names"
  VERBATIM)

add_custom_command(
  OUTPUT ${backedge_page}
  COMMAND ${BACKEDGE_NODE} node_modules/typescript/bin/tsc --noEmit
  COMMAND ${BACKEDGE_NODE} node_modules/vite/bin/vite.js build --logLevel warn --outDir ${backedge_web_build}
  DEPENDS ${backedge_web_packages} ${backedge_web_sources}
  WORKING_DIRECTORY ${backedge_web}
  COMMENT "Building the call-graph page"
  VERBATIM)

backedge_embedded(graph page INPUTS ${backedge_page} WORDS page ${backedge_page})
