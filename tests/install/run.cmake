# Installs firn into a folder of its own, builds a program against it with find_package(firn), and runs both.
#   cmake -DBUILD=build -DSOURCE=tests/install -DFOLDER=build/install_test -DVERSION=0.1.0 -P run.cmake
set(prefix ${FOLDER}/prefix)
file(REMOVE_RECURSE ${FOLDER})

function(run expected)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  list(JOIN ARGN " " command)
  if(NOT code EQUAL 0 OR NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${command}\nended with ${code} and said, where '${expected}' was expected:\n${output}")
  endif()
endfunction()

run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
file(RENAME ${prefix} ${prefix}-moved)  # nothing in it may know where it was
set(prefix ${prefix}-moved)

run("" ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/build -DCMAKE_PREFIX_PATH=${prefix})
run("" ${CMAKE_COMMAND} --build ${FOLDER}/build)
run("^firn ${VERSION}: [0-9]+ particles" ${FOLDER}/build/outside)

run("^firn ${VERSION}\n$" ${prefix}/bin/firn --version)
run("snowball_drop" ${prefix}/bin/firn scenes)
foreach(scene walking digging the_end points)  # those that come with files
  run("particles" ${prefix}/bin/firn check ${scene} --variant small)
endforeach()
foreach(file share/man/man1/firn.1 share/firn/blender/import_run.py share/firn/paraview/show_run.py)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
if(EXISTS ${prefix}/include/solver)
  message(FATAL_ERROR "headers that are not public were installed")
endif()
