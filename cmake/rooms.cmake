# backedge_room(NAME [ROOMS room…] [LINKS target…]): the library of src/NAME, from all its .cpp files; header-only while it
# has none. Rooms see include/ and src/, third-party headers come in as system headers.

set(backedge_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough)

function(backedge_settings target)
  target_compile_options(${target} PRIVATE ${backedge_warnings})
  if(BACKEDGE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(backedge_room name)
  cmake_parse_arguments(arg "" "" "ROOMS;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  set(rooms "")
  foreach(room IN LISTS arg_ROOMS)
    list(APPEND rooms backedge_${room})
  endforeach()
  if(sources)
    add_library(backedge_${name} STATIC ${sources})
    backedge_settings(backedge_${name})
    set_target_properties(backedge_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    set(how PUBLIC)
  else()
    add_library(backedge_${name} INTERFACE)
    set(how INTERFACE)
  endif()
  target_include_directories(backedge_${name} ${how} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                     $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(backedge_${name} ${how} ${rooms} ${arg_LINKS})
endfunction()

# backedge_program(NAME FOLDER [ROOMS room…] [LINKS target…]): a program from all .cpp files of src/FOLDER.
function(backedge_program name folder)
  cmake_parse_arguments(arg "" "" "ROOMS;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  backedge_settings(${name})
  foreach(room IN LISTS arg_ROOMS)
    target_link_libraries(${name} PRIVATE backedge_${room})
  endforeach()
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
endfunction()
