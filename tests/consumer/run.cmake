# cmake -DSOURCE=... -DBUILD=... -DCOMPILER=... -DWAY=installed|folder -P run.cmake: does what a user would, and stops
# where it fails. BUILD is Lyre's build folder; everything made here is below BUILD/consumer.

set(here ${CMAKE_CURRENT_LIST_DIR})
set(work ${BUILD}/consumer/${WAY})
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(configure ${CMAKE_COMMAND} -G Ninja -S ${here} -B ${work}/build -DCMAKE_CXX_COMPILER=${COMPILER})
if(WAY STREQUAL "folder")
  run(${configure} -DLYRE_SOURCE=${SOURCE})
  return()
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
file(GLOB_RECURSE package ${work}/prefix/lyre*.cmake)
foreach(file IN LISTS package)
  file(READ ${file} text)
  if(text MATCHES "spdlog|lyre_flags")
    message(FATAL_ERROR "${file} names ${CMAKE_MATCH_0}, which is the library's own matter")
  endif()
endforeach()
run(${configure} -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
execute_process(COMMAND ${work}/build/consumer OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
set(wanted "hello orpheus\nnot found: no player \"eurydice\"\n")
if(NOT said STREQUAL wanted)
  message(FATAL_ERROR "the consumer said\n${said}instead of\n${wanted}")
endif()
