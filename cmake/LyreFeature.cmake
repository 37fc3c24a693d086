# How the code of a feature becomes a library that lyre can open, and close again.
#
# lyre_feature(NAME [SOURCES FILE...] [LINKED]) stands in the CMakeLists.txt beside a feature.toml. It makes
#
#   feature_NAME         libNAME.so of all *.cpp of the folder (or of SOURCES), with the version of the manifest in it,
#                        in the folder `features` of the project's build folder
#   feature_NAME_linked  with LINKED: the same as objects, to be linked into a program (features/module.h, LinkedModules)
#   test_feature_NAME    of tests/*_test.cpp, where there are such, testing is on (enable_testing() in the project's
#                        CMakeLists.txt, above its features) and GoogleTest is found; else a line says what is missing.
#                        ctest runs it in the feature's folder. LYRE_MODULE_FOLDER and LYRE_FEATURE_FOLDER are defined
#                        for it.
#
# What is wrong in the manifest breaks no build: `lyre check` tells it. A library that a feature made in the folder
# `features` of a build folder, and that none makes any more, is removed when the project is configured, so that no later
# feature of its name opens it. The file lyre_modules.txt of the build folder lists them; nothing else is removed.
#
# It works in a project that has lyre as a folder and in one that has it by find_package(lyre). Variables it reads:
# LYRE_MODULE_FOLDER, another folder for the libraries; LYRE_FEATURE_LIBRARIES, what all features link to besides lyre.

include_guard(GLOBAL)

function(lyre_feature name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LINKED" "" "SOURCES")
  if(NOT name MATCHES "^[A-Za-z0-9_-]+$" OR DEFINED arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lyre_feature(NAME [SOURCES FILE...] [LINKED]): got ${ARGV}")
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  lyre_read_manifest(${folder}/feature.toml version)
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS ${folder}/*.cpp)
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "the feature ${name} has no sources in ${folder}; one without code needs no lyre_feature")
  endif()

  lyre_module(feature_${name} NAME ${name} VERSION "${version}" SOURCES ${arg_SOURCES})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # clang links sanitizers into the program only
    target_link_options(feature_${name} PRIVATE -Wl,-z,defs)  # what is missing is told now, not when it is opened
  endif()
  if(arg_LINKED)
    add_library(feature_${name}_linked OBJECT ${arg_SOURCES})
    lyre_feature_code(feature_${name}_linked "${version}")
    target_compile_definitions(feature_${name}_linked PRIVATE LYRE_FEATURE_LINKED)
  endif()

  file(GLOB tests CONFIGURE_DEPENDS ${folder}/tests/*_test.cpp)
  if(tests AND CMAKE_TESTING_ENABLED)
    find_package(GTest QUIET)
    if(TARGET GTest::gtest_main)
      add_executable(test_feature_${name} ${tests})
      get_target_property(modules feature_${name} LIBRARY_OUTPUT_DIRECTORY)
      target_compile_definitions(test_feature_${name} PRIVATE
        LYRE_MODULE_FOLDER="${modules}" LYRE_FEATURE_FOLDER="${folder}")
      target_link_libraries(test_feature_${name} PRIVATE lyre::lyre ${LYRE_FEATURE_LIBRARIES} GTest::gtest_main)
      target_include_directories(test_feature_${name} PRIVATE ${PROJECT_SOURCE_DIR})
      add_dependencies(test_feature_${name} feature_${name})
      add_test(NAME feature_${name} COMMAND test_feature_${name} WORKING_DIRECTORY ${folder})
    else()
      message(STATUS "no GoogleTest: the tests of the feature ${name} are left out")
    endif()
  elseif(tests)
    message(STATUS "testing is off: the tests of the feature ${name} are left out; "
      "write enable_testing() above the features in ${CMAKE_SOURCE_DIR}/CMakeLists.txt")
  endif()
endfunction()

# lyre_module(TARGET NAME name VERSION version SOURCES FILE...): the library alone, for those who have no manifest.
function(lyre_module target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;VERSION" "SOURCES")
  set(modules ${PROJECT_BINARY_DIR}/features)
  if(DEFINED LYRE_MODULE_FOLDER)
    set(modules ${LYRE_MODULE_FOLDER})
  else()
    set_property(GLOBAL APPEND PROPERTY LYRE_MODULES ${modules}/lib${arg_NAME}.so)
  endif()
  add_library(${target} MODULE ${arg_SOURCES})
  lyre_feature_code(${target} "${arg_VERSION}")
  set_target_properties(${target} PROPERTIES PREFIX lib OUTPUT_NAME ${arg_NAME} SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY ${modules})
endfunction()

# How code of a feature is compiled.
#   -fno-gnu-unique: statics of templates and inline functions would keep the library in memory for ever
#   visibility: what lyre's headers define inline must be lyre's own in every library (tables of virtual functions above
#     all: an object may outlive the feature that made it), and that is found by symbols that are not hidden
#   -ffp-contract=off: two builds must give one world hash
#   -fmacro-prefix-map: places that are told (`lyre why`, the log) are paths inside the project, wherever it stands, also
#     where a compiler cache makes them relative to the build folder
function(lyre_feature_code target version)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique> -ffp-contract=off
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  file(RELATIVE_PATH source ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR}/)
  if(source)
    target_compile_options(${target} PRIVATE -fmacro-prefix-map=${source}=)
  endif()
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
    POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE LYRE_FEATURE_VERSION="${version}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE lyre::lyre ${LYRE_FEATURE_LIBRARIES})
endfunction()

# At the end of a configure: what one before it made, and this one does not.
function(lyre_remove_old_modules)
  set(list ${CMAKE_BINARY_DIR}/lyre_modules.txt)
  get_property(made GLOBAL PROPERTY LYRE_MODULES)
  if(EXISTS ${list})
    file(STRINGS ${list} before)
  endif()
  foreach(library IN LISTS before)
    if(NOT library IN_LIST made AND EXISTS ${library})
      message(STATUS "${library} is of no feature any more: removed")
      file(REMOVE ${library})
    endif()
  endforeach()
  list(JOIN made "\n" lines)
  file(WRITE ${list} "${lines}\n")
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL lyre_remove_old_modules)

# The version of a feature.toml, in its keys above the first table; empty if there is none to be read.
function(lyre_read_manifest file version)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "lyre_feature stands beside a feature.toml: there is no ${file}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(REGEX REPLACE "\n[ \t]*\\[.*" "" keys "\n${text}")
  set(found "")
  if(keys MATCHES "\n[ \t]*version[ \t]*=[ \t]*[\"']([0-9A-Za-z.+-]+)[\"']")
    set(found ${CMAKE_MATCH_1})
  else()
    message(STATUS "${file} has no line version = \"...\" above its first table; `lyre check` says what is wrong")
  endif()
  set(${version} "${found}" PARENT_SCOPE)
endfunction()
