# Installs the build tree `build` into a folder of its own, then configures, builds and runs the project `source` against
# it with `compiler` and `flags`, and checks what it prints. Any step that fails ends the script with its output.
cmake_minimum_required(VERSION 3.25)

set(place ${build}/find_package)
file(REMOVE_RECURSE ${place})

function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed with ${status}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

step("installing" ${CMAKE_COMMAND} --install ${build} --prefix ${place}/prefix)
step("configuring the consumer" ${CMAKE_COMMAND} -S ${source} -B ${place}/consumer -G Ninja
  -D CMAKE_PREFIX_PATH=${place}/prefix -D CMAKE_CXX_COMPILER=${compiler} "-DCMAKE_CXX_FLAGS=${flags}")
step("building the consumer" ${CMAKE_COMMAND} --build ${place}/consumer)
step("running the consumer" ${place}/consumer/consumer)
set(expected "runs\nruns\nheld repeat.exact\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the consumer printed\n${output}instead of\n${expected}")
endif()

# The installed program knows its version; its libraries are found without the build tree.
if(EXISTS ${place}/prefix/bin/backedge)
  step("running the installed program" ${place}/prefix/bin/backedge --version)
  if(NOT output MATCHES "${version}")
    message(FATAL_ERROR "backedge --version printed\n${output}which does not name ${version}")
  endif()
endif()
