# Installs the build into a fresh prefix, moves the prefix (nothing in it may know where it was),
# then builds examples/ against it as a stranger's project and runs what comes out.
#
#   cmake -D BUILD_DIR=… -D SOURCE_DIR=… -D WORK_DIR=… -D CONFIG=… -D GENERATOR=…
#         -D CXX_COMPILER=… -D CXX_FLAGS=… -P install_test.cmake

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed with ${result}: ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${WORK_DIR}/prefix)

run(${WORK_DIR}/prefix/bin/laurel --version)
run(test -x ${WORK_DIR}/prefix/lib/redis/laurel.so)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples -B ${WORK_DIR}/examples -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix
  -D CMAKE_BUILD_TYPE=${CONFIG}
  -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
  -D CMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/examples)
run(${WORK_DIR}/examples/embedded)
run(${WORK_DIR}/examples/seasons)
