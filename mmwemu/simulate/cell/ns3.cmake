# SPDX-License-Identifier: GPL-2.0-only
# Finds ns-3, fetches it if need be, and stages the shared libraries that the program loads.
#
# MMWEMU_NS3_DIR   folder with include/ and lib64/ of the ns3 wheel; fetched from the package index if empty
# gives: target mmwemu-ns3, MMWEMU_NS3_VERSION, MMWEMU_NS3_STAGE (folder with the libraries to ship)

set(MMWEMU_NS3_VERSION 3.44)
set(MMWEMU_NS3_DIR "" CACHE PATH "Folder ns3/ of the unpacked ns3 wheel; empty: fetch it")
set(MMWEMU_NS3_MODULES lte buildings spectrum antenna propagation applications point-to-point internet virtual-net-device mobility network core)

function(fetch_ns3 result)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ns3-wheel)
  set(pin ${CMAKE_CURRENT_SOURCE_DIR}/ns3-requirements.txt)
  file(SHA256 ${pin} pin_hash)
  set(stamp ${folder}/${pin_hash})
  if(NOT EXISTS ${stamp})
    if(NOT Python_EXECUTABLE)
      find_package(Python REQUIRED COMPONENTS Interpreter)
    endif()
    file(REMOVE_RECURSE ${folder})
    message(STATUS "Fetching the ns3 wheel")
    execute_process(
      COMMAND ${Python_EXECUTABLE} -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all:
              --python-version 3.13 --platform manylinux_2_28_x86_64 --require-hashes -r ${pin} -d ${folder}
      RESULT_VARIABLE code ERROR_VARIABLE errors)
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "The ns3 wheel cannot be fetched; give MMWEMU_NS3_DIR, the folder ns3/ of an unpacked one, "
                          "or see to it that ${Python_EXECUTABLE} has pip and the package index answers, "
                          "or leave the simulator out by MMWEMU_SIMULATOR=OFF:\n${errors}")
    endif()
    file(GLOB wheel ${folder}/ns3-*.whl)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder} PATTERNS "ns3/include/*" "ns3/lib64/*.so*")
    file(REMOVE ${wheel})
    file(TOUCH ${stamp})
  endif()
  set(${result} ${folder}/ns3 PARENT_SCOPE)
endfunction()

# Names of the libraries in a folder that those in `names` need, directly or not, with themselves.
function(needed_libraries folder names result)
  find_program(MMWEMU_READELF NAMES ${CMAKE_READELF} readelf REQUIRED)
  set(all "")
  while(names)
    list(POP_FRONT names name)
    if(name IN_LIST all OR NOT EXISTS ${folder}/${name})
      continue()
    endif()
    list(APPEND all ${name})
    execute_process(COMMAND ${MMWEMU_READELF} -d ${folder}/${name} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^]\n]+\\]" lines "${dynamic}")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*\\[(.*)\\]" "\\1" needed "${line}")
      list(APPEND names ${needed})
    endforeach()
  endwhile()
  set(${result} ${all} PARENT_SCOPE)
endfunction()

if(MMWEMU_NS3_DIR)
  set(ns3_dir ${MMWEMU_NS3_DIR})
else()
  fetch_ns3(ns3_dir)
endif()
if(NOT EXISTS ${ns3_dir}/include/ns3/core-module.h)
  message(FATAL_ERROR "MMWEMU_NS3_DIR: ${ns3_dir} has no include/ns3/core-module.h")
endif()

set(MMWEMU_NS3_STAGE ${CMAKE_CURRENT_BINARY_DIR}/ns3-stage)
set(ns3_direct "")
foreach(module IN LISTS MMWEMU_NS3_MODULES)
  list(APPEND ns3_direct libns${MMWEMU_NS3_VERSION}-${module}.so)
endforeach()
needed_libraries(${ns3_dir}/lib64 "${ns3_direct}" ns3_needed)

# The ns-3 libraries name GSL as needed, but none of those used here calls it: empty libraries of that name stand in for
# it. That spares 3 MB, and a library under a licence (GPL-3.0-or-later) that does not go with ns-3's GPL-2.0-only.
set(ns3_empty ${ns3_needed})
list(FILTER ns3_empty INCLUDE REGEX "^libgsl")
list(FILTER ns3_needed EXCLUDE REGEX "^libgsl")

if(NOT EXISTS ${MMWEMU_NS3_STAGE}/complete)
  file(REMOVE_RECURSE ${MMWEMU_NS3_STAGE})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
  foreach(name IN LISTS ns3_needed)
    file(COPY ${ns3_dir}/lib64/${name} DESTINATION ${MMWEMU_NS3_STAGE})
    if(CMAKE_STRIP)
      execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded ${MMWEMU_NS3_STAGE}/${name} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
  foreach(name IN LISTS ns3_empty)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -shared -nostdlib -Wl,-soname,${name}
                            -o ${MMWEMU_NS3_STAGE}/${name} ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(TOUCH ${MMWEMU_NS3_STAGE}/complete)
endif()

add_library(mmwemu-ns3 INTERFACE)
target_include_directories(mmwemu-ns3 SYSTEM INTERFACE ${ns3_dir}/include)
# The wheel is built with assertions and logging on.
target_compile_definitions(mmwemu-ns3 INTERFACE NS3_ASSERT_ENABLE NS3_LOG_ENABLE)
foreach(name IN LISTS ns3_direct)
  target_link_libraries(mmwemu-ns3 INTERFACE ${MMWEMU_NS3_STAGE}/${name})
endforeach()
# config-store, which lte needs, has undefined GTK symbols without naming GTK; nothing here calls them.
target_link_options(mmwemu-ns3 INTERFACE
  -Wl,--allow-shlib-undefined -Wl,-z,lazy -Wl,-rpath-link,${MMWEMU_NS3_STAGE}
  -Wl,--disable-new-dtags)  # so that LD_LIBRARY_PATH does not bring in another ns-3
