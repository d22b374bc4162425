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

# The release build optimises across files. Archives keep ordinary code too, for those who link them
# without that: other projects, and our tests, of which each would take ten seconds longer to link.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-flto=auto -ffat-lto-objects)
  add_link_options(-flto=auto)
endif()

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
  foreach(dependency ${ARGN})
    target_link_libraries(laurel_${name} PUBLIC laurel_${dependency})
  endforeach()
  if(tests)
    laurel_test(${name}_test SOURCES ${tests} LINK laurel_${name})
  endif()
endfunction()

# laurel_test(NAME SOURCES … LINK … [ARGS …]): a GoogleTest program, run by ctest as one test.
function(laurel_test name)
  cmake_parse_arguments(test "" "" "SOURCES;LINK;ARGS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_compile_options(${name} PRIVATE -fno-lto)
  target_link_options(${name} PRIVATE -fno-lto)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${test_LINK} laurel_options GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} ${test_ARGS})
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
endfunction()
