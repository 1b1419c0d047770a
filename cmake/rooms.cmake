# backedge_room(NAME [ROOMS room…] [LINKS target…]): the library of src/NAME, from all its .cpp files but main.cpp;
# header-only while it has none. Rooms see include/ and src/, third-party headers come in as system headers.

set(backedge_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wimplicit-fallthrough
    -Wno-missing-field-initializers)  # designated initializers leave the rest to its defaults on purpose

# libstdc++ 12 uses what it has itself marked deprecated (std::stable_sort's buffer); clang reports that at our call.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND backedge_warnings -Wno-deprecated-declarations)
endif()

function(backedge_settings target)
  target_compile_options(${target} PRIVATE ${backedge_warnings})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlapping copies in every "literal" + string (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The rooms also go into a shared library, whose functions g++ would otherwise not inline into each other, lest
    # somebody replaces one of them when the program is loaded. Clang never allows for that.
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    if(BACKEDGE_UNITY)
      # To g++ a source that is part of another looks like a header, which ought to have no types of its own.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
  if(BACKEDGE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(BACKEDGE_FUZZ)
    # Coverage for the fuzzer; the fuzzer's own main comes in with the targets of tests/fuzz only.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# backedge_unity(TARGET SOURCE…): with BACKEDGE_UNITY the sources are compiled several as one, which takes less than half of
# the time; cmake/unity.py says which of them go together.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(backedge_unity target)
  if(NOT BACKEDGE_UNITY)
    return()
  endif()
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/unity.py
            ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests -- ${ARGN}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  foreach(source group IN ZIP_LISTS ARGN groups)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(backedge_room name)
  cmake_parse_arguments(arg "" "" "ROOMS;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(rooms "")
  foreach(room IN LISTS arg_ROOMS)
    list(APPEND rooms backedge_${room})
  endforeach()
  if(sources)
    add_library(backedge_${name} STATIC ${sources})
    backedge_settings(backedge_${name})
    backedge_unity(backedge_${name} ${sources})
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

# backedge_embedded(ROOM NAME INPUTS file… WORDS word…): the C++ source that cmake/embed.py makes of the inputs becomes part
# of the room's library; WORDS are those of the script, but for the output.
function(backedge_embedded room name)
  cmake_parse_arguments(arg "" "" "INPUTS;WORDS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/embedded/${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed.py ${arg_WORDS} ${source}
    DEPENDS ${arg_INPUTS} ${PROJECT_SOURCE_DIR}/cmake/embed.py
    VERBATIM)
  target_sources(backedge_${room} PRIVATE ${source})
endfunction()

# backedge_program(NAME FOLDER [ROOMS room…]): a program from all .cpp files of src/FOLDER; all of them but main.cpp are a
# library of their own too, backedge_FOLDER, for the tests.
function(backedge_program name folder)
  cmake_parse_arguments(arg "" "" "ROOMS" ${ARGN})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${folder}/main.cpp)
    return()
  endif()
  backedge_room(${folder} ROOMS ${arg_ROOMS})
  add_executable(${name} ${PROJECT_SOURCE_DIR}/src/${folder}/main.cpp)
  backedge_settings(${name})
  foreach(target ${name} backedge_${folder})
    target_compile_definitions(${target} PRIVATE BACKEDGE_VERSION="${PROJECT_VERSION}")
  endforeach()
  target_link_libraries(${name} PRIVATE backedge_${folder})
endfunction()

# backedge_library(room…): the rooms as one shared library, libbackedge, with the headers of include/. Shared, so that who
# links to it needs the libraries of third parties at run time, but none of their headers or CMake packages.
function(backedge_library)
  set(objects "")
  set(rooms "")
  foreach(room IN LISTS ARGN)
    list(APPEND rooms backedge_${room})
    get_target_property(type backedge_${room} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:backedge_${room}>)
    endif()
  endforeach()
  if(NOT objects)
    message(FATAL_ERROR "backedge_library: none of the rooms ${ARGN} has a .cpp file")
  endif()
  add_library(backedge_lib SHARED ${objects})
  add_library(Backedge::backedge ALIAS backedge_lib)
  set_target_properties(backedge_lib PROPERTIES
    OUTPUT_NAME backedge
    EXPORT_NAME backedge
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(backedge_lib INTERFACE cxx_std_20)
  target_include_directories(backedge_lib INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  # The objects come first, so of the rooms' archives nothing is left to take: they only bring their own dependencies.
  target_link_libraries(backedge_lib PRIVATE ${rooms})
endfunction()
