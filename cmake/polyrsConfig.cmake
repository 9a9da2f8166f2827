# What `find_package(polyrs)` reads: the plugin, and a function that has a target's code optimized by it.
#
#   polyrs_PLUGIN                             the plugin, libpolyrs.so, which loads libpolyrs_mlir.so from beside it
#   polyrs_optimize(<target> [OPTIONS <name>=<value>...])
#   polyrs::gpu, polyrs::gpu_shared           what programs with kernels for GPUs link: a part of them, or a library
#
# The options are those of `poly-schedule`, for example `parallel=true tile-sizes=64,64,64`. What they need is linked:
# threads for `parallel=true`, polyrs::gpu for `target=gpu`. The target's C, C++ and
# Fortran sources must be compiled by clang or flang 22, since a plugin fits one version of LLVM only.

include_guard(GLOBAL)

get_filename_component(polyrs_PLUGIN "${CMAKE_CURRENT_LIST_DIR}/../../libpolyrs.so" ABSOLUTE)
get_filename_component(_polyrs_optimizer "${CMAKE_CURRENT_LIST_DIR}/../../libpolyrs_mlir.so" ABSOLUTE)
foreach(_polyrs_file IN ITEMS "${polyrs_PLUGIN}" "${_polyrs_optimizer}")
  if(NOT EXISTS "${_polyrs_file}")
    set(polyrs_FOUND FALSE)
    set(polyrs_NOT_FOUND_MESSAGE "there is no ${_polyrs_file}")
    return()
  endif()
endforeach()

# Runs kernels. The header is polyrs/gpu.h; a program without its own calls of it needs the library all the same.
foreach(_polyrs_kind IN ITEMS STATIC SHARED)
  if(_polyrs_kind STREQUAL "STATIC")
    set(_polyrs_target polyrs::gpu)
    set(_polyrs_file libpolyrs_gpu.a)
  else()
    set(_polyrs_target polyrs::gpu_shared)
    set(_polyrs_file libpolyrs_gpu.so)
  endif()
  if(TARGET "${_polyrs_target}")
    continue()
  endif()
  add_library("${_polyrs_target}" ${_polyrs_kind} IMPORTED GLOBAL)
  get_filename_component(_polyrs_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties("${_polyrs_target}" PROPERTIES
    IMPORTED_LOCATION "${_polyrs_prefix}/lib/${_polyrs_file}"
    INTERFACE_INCLUDE_DIRECTORIES "${_polyrs_prefix}/include")
  if(_polyrs_kind STREQUAL "STATIC")
    # Parts of libc itself since glibc 2.34.
    set_target_properties("${_polyrs_target}" PROPERTIES INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS};pthread")
  endif()
endforeach()

# Stops where a language that is in use has a compiler that cannot load the plugin.
function(_polyrs_check_compilers target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN ITEMS C CXX Fortran)
    if(NOT language IN_LIST languages)
      continue()
    endif()
    set(id "${CMAKE_${language}_COMPILER_ID}")
    set(version "${CMAKE_${language}_COMPILER_VERSION}")
    if(NOT id MATCHES "^(Clang|LLVMFlang)$" OR NOT version MATCHES "^22\\.")
      message(FATAL_ERROR
        "polyrs_optimize(${target}): ${language} is compiled by ${id} ${version}, but the plugin needs clang or flang 22. "
        "Set CMAKE_${language}_COMPILER (clang-22, clang++-22, flang-22), or leave the target alone.")
    endif()
  endforeach()
endfunction()

function(polyrs_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "polyrs_optimize: there is no target ${target}")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "polyrs_optimize(${target}): unknown ${arg_UNPARSED_ARGUMENTS}; options of the plugin stand after OPTIONS")
  endif()
  _polyrs_check_compilers("${target}")
  set(flags "-fpass-plugin=${polyrs_PLUGIN}")
  if(arg_OPTIONS)
    list(JOIN arg_OPTIONS " " options)
    list(APPEND flags "SHELL:-mllvm \"-poly-schedule=${options}\"")
  endif()
  target_compile_options("${target}" PRIVATE
    "$<$<COMPILE_LANGUAGE:C,CXX,Fortran>:${flags}>")
  # Objects need a new build when the plugin is another.
  set_property(TARGET "${target}" APPEND PROPERTY LINK_DEPENDS "${polyrs_PLUGIN}" "${_polyrs_optimizer}")
  if("parallel=true" IN_LIST arg_OPTIONS)
    # Whoever links the target's code needs the threads' runtime.
    target_link_options("${target}" PUBLIC -fopenmp)
  endif()
  if("target=gpu" IN_LIST arg_OPTIONS)
    # The same for the runtime for kernels. Properties, since the project may link in either of CMake's two ways.
    set_property(TARGET "${target}" APPEND PROPERTY LINK_LIBRARIES polyrs::gpu)
    set_property(TARGET "${target}" APPEND PROPERTY INTERFACE_LINK_LIBRARIES polyrs::gpu)
  endif()
endfunction()
