# How every target of this repository is compiled, and what a room is.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
option(LYRE_SHIPPING "For players: [developer] of lyre.toml does not count" OFF)
if(LYRE_SHIPPING)
  add_compile_definitions(LYRE_SHIPPING)
endif()
option(LYRE_UNITY "Compile sources some at a time: far quicker from nothing, slower after a change to one" ON)
set(LYRE_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, for example address,undefined")

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(LYRE_CCACHE ccache)
  if(LYRE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${LYRE_CCACHE})
  endif()
  find_program(LYRE_MOLD mold)
  if(LYRE_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)

# What all our own code is compiled with: lyre_code_flags, also for libraries that come and go while the program runs;
# lyre_flags for what is there from the start, whose thread-local variables have their fixed place. Floating point is
# left exact: two builds must give one world hash.
# A warning is an error here only: the compilers of those who have lyre as a folder may know other ones.
# Off for g++ 12, which reports them wrongly: -Wrestrict for "text" + std::string, -Wmaybe-uninitialized for optionals
# and variants, -Wsubobject-linkage for a source that another one includes.
# Debug information is compressed and kept light where a sanitizer is on: it is most of what the linker reads.
add_library(lyre_code_flags INTERFACE)
target_compile_options(lyre_code_flags INTERFACE -Wall -Wextra -Wnon-virtual-dtor
  $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized;-Wno-subobject-linkage>" -ffp-contract=off)
if(LYRE_SANITIZE)
  target_compile_options(lyre_code_flags INTERFACE
    -fsanitize=${LYRE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(lyre_code_flags INTERFACE -fsanitize=${LYRE_SANITIZE})
endif()
add_library(lyre_flags INTERFACE)
target_compile_options(lyre_flags INTERFACE -ftls-model=initial-exec)
target_link_libraries(lyre_flags INTERFACE lyre_code_flags)
set(LYRE_FEATURE_LIBRARIES lyre_code_flags)  # of the features of this repository (LyreFeature.cmake)

# lyre_in_batches(TARGET SIZE): its sources are compiled that many at a time, so that what they all include is read once.
# Names in their unnamed namespaces must therefore differ within a target.
function(lyre_in_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LYRE_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# lyre_room(NAME [ROOM...]): the sources of one room, and the rooms it may include.
# tools/check_layers reads these lines; what stands after the name is the whole corridor list.
# Calls inside the library are not looked up by name at run time: nobody replaces its functions one by one.
function(lyre_room name)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_library(lyre_${name} OBJECT ${sources})
  target_include_directories(lyre_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  lyre_in_batches(lyre_${name} 16)
  target_compile_options(lyre_${name} PRIVATE -fno-semantic-interposition)
  target_link_libraries(lyre_${name} PUBLIC fmt::fmt Threads::Threads PRIVATE lyre_flags spdlog::spdlog)
  set_property(GLOBAL APPEND PROPERTY LYRE_ROOMS ${name})
endfunction()
