# How every target of Laurel is built: one function for libraries, programs and tests each.

find_package(Threads REQUIRED)
find_package(GTest REQUIRED)

add_library(laurel_options INTERFACE)
target_compile_options(laurel_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wcast-align -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in `"text" + string` where there are none.
  target_compile_options(laurel_options INTERFACE -Wno-restrict)
endif()
if(LAUREL_WERROR)
  target_compile_options(laurel_options INTERFACE -Werror)
endif()
if(LAUREL_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 loses track in <regex> when it instruments.
    target_compile_options(laurel_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  add_compile_options(-fsanitize=${LAUREL_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LAUREL_SANITIZE})
endif()

if(LAUREL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # so that the fuzzer sees into the libraries
endif()

# Optimised builds compile the files of a layer in units of a dozen, which takes less time and makes as
# fast a program as link-time optimisation (docs/decisions.md). So helpers in unnamed namespaces have
# different names within a layer. `dev` and clang-tidy compile each file alone.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(laurel_units OFF)
else()
  set(laurel_units ON)
endif()
option(LAUREL_UNITS "Compile the files of a layer in units" ${laurel_units})
set(laurel_unit_properties UNITY_BUILD ${LAUREL_UNITS} UNITY_BUILD_BATCH_SIZE 12)

# ccache cannot cache what was compiled with precompiled headers of another folder.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # GCC 12 forgets that precompiled headers are the system's and warns of code in std::string. Builds
  # without them keep these warnings.
  target_compile_options(laurel_options INTERFACE
    -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Everything that ./dev test needs. It is not part of `all`, which is the program and the library.
add_custom_target(tests)

# laurel_layer(NAME DEPENDS…): the library of the folder src/NAME, from all .cc files in and below it except
# main.cc and tests; the *_test.cc beside them become the test program NAME_test.
function(laurel_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(laurel_${name} STATIC ${sources})
  add_library(laurel::${name} ALIAS laurel_${name})
  set_target_properties(laurel_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(laurel_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(laurel_${name} PRIVATE $<BUILD_INTERFACE:laurel_options>)
  set_target_properties(laurel_${name} PROPERTIES ${laurel_unit_properties})
  foreach(dependency ${ARGN})
    target_link_libraries(laurel_${name} PUBLIC laurel_${dependency})
  endforeach()
  if(tests)
    laurel_test(${name}_test SOURCES ${tests} LINK laurel_${name})
  endif()
endfunction()

# How the code of tests is compiled. The libraries under test are those that ship; the code of test
# programs is not optimised, which compiles a quarter faster than -O1. What tests share (models,
# rigs) runs more often than it is compiled: -O2.
set(laurel_test_flags $<$<NOT:$<CONFIG:Debug>>:-O0>)
set(laurel_test_library_flags $<$<NOT:$<CONFIG:Debug>>:-O2>)

# Most tests wait for servers and disks, and ./dev test runs eight at a time. A test that keeps a core
# busy for more than five seconds has PROCESSORS ${laurel_compute_slots}: at most two of them run at
# a time.
set(laurel_compute_slots 4)

# laurel_test(NAME SOURCES … LINK … [ARGS …]): a GoogleTest program, run by ctest as one test.
function(laurel_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LINK;ARGS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${test_SOURCES})
  add_dependencies(tests ${name})
  target_compile_options(${name} PRIVATE ${laurel_test_flags})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${test_LINK} laurel_options GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} ${test_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
endfunction()

# The standard headers that most files include. Parsed once, they save a third to a half of the time
# that a file takes. No header of ours is among them: its change would compile everything anew.
set(laurel_standard_headers <algorithm> <array> <atomic> <bit> <charconv> <chrono>
  <condition_variable> <cstdint> <cstring> <deque> <functional> <map> <memory> <memory_resource>
  <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <vector>)

# laurel_precompile_headers(): gives every target of the project precompiled headers. Test programs
# have GoogleTest in theirs; a target with headers of its own (target_precompile_headers) gets the
# standard ones beside them; all others share one set. To be called last.
function(laurel_precompile_headers)
  set(source ${PROJECT_BINARY_DIR}/precompiled.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(laurel_precompiled OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(laurel_precompiled PRIVATE laurel_options)
  add_library(laurel_test_precompiled OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(laurel_test_precompiled PRIVATE laurel_options GTest::gtest)
  target_compile_options(laurel_test_precompiled PRIVATE ${laurel_test_flags})
  target_precompile_headers(laurel_precompiled PRIVATE ${laurel_standard_headers})
  target_precompile_headers(laurel_test_precompiled
    PRIVATE ${laurel_standard_headers} <gtest/gtest.h>)
  foreach(folder src tests bench fuzz)
    laurel_precompile_folder(${PROJECT_SOURCE_DIR}/${folder})
  endforeach()
endfunction()

function(laurel_precompile_folder folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(own_headers ${target} PRECOMPILE_HEADERS)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(NOT type MATCHES "EXECUTABLE|STATIC_LIBRARY")
      continue()
    elseif(own_headers)
      target_precompile_headers(${target} PRIVATE ${laurel_standard_headers})
    elseif("GTest::gtest" IN_LIST libraries)
      target_precompile_headers(${target} REUSE_FROM laurel_test_precompiled)
    else()
      target_precompile_headers(${target} REUSE_FROM laurel_precompiled)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${folders})
    laurel_precompile_folder(${subfolder})
  endforeach()
endfunction()
