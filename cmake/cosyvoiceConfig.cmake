# find_package(cosyvoice CONFIG) for programs in C and C++: gives cosyvoice::cosyvoice.
#
#   cmake -Dcosyvoice_DIR=$(python -c "import cosyvoice; print(cosyvoice.cmake_dir())") …
#
# The library reads networks with OpenVINO, whose libraries lie in the openvino wheel: beside this package, or where
# -Dcosyvoice_OPENVINO_LIBS=DIR says.
get_filename_component(cosyvoice_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

if(NOT cosyvoice_OPENVINO_LIBS)
  set(cosyvoice_OPENVINO_LIBS "${cosyvoice_root}/../openvino/libs")
  if(NOT EXISTS "${cosyvoice_OPENVINO_LIBS}")
    find_package(Python 3.11 QUIET COMPONENTS Interpreter)
    execute_process(COMMAND "${Python_EXECUTABLE}" -c
                    "import importlib.util, os; print(os.path.join(importlib.util.find_spec('openvino').submodule_search_locations[0], 'libs'))"
                    OUTPUT_VARIABLE cosyvoice_OPENVINO_LIBS OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT EXISTS "${cosyvoice_OPENVINO_LIBS}")
  set(cosyvoice_FOUND FALSE)
  set(cosyvoice_NOT_FOUND_MESSAGE "OpenVINO's libraries are neither in '${cosyvoice_root}/../openvino/libs' nor in ${Python_EXECUTABLE}: "
                                  "pip install openvino, or pass -Dcosyvoice_OPENVINO_LIBS=DIR")
  return()
endif()

if(NOT TARGET cosyvoice::cosyvoice)
  file(GLOB cosyvoice_openvino "${cosyvoice_OPENVINO_LIBS}/libopenvino.so*")
  if(NOT cosyvoice_openvino)
    set(cosyvoice_FOUND FALSE)
    set(cosyvoice_NOT_FOUND_MESSAGE "'${cosyvoice_OPENVINO_LIBS}' holds no libopenvino.so: reinstall openvino, or pass -Dcosyvoice_OPENVINO_LIBS=DIR")
    return()
  endif()
  add_library(cosyvoice::cosyvoice SHARED IMPORTED)
  set_target_properties(cosyvoice::cosyvoice PROPERTIES
    IMPORTED_LOCATION "${cosyvoice_root}/lib/libcosyvoice.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${cosyvoice_root}/include"
    # The program asks for OpenVINO by name and knows where it is: libcosyvoice looks beside itself alone, and there is
    # nothing where the two packages lie apart.
    INTERFACE_LINK_LIBRARIES "-Wl,--push-state,--no-as-needed;${cosyvoice_openvino};-Wl,--pop-state"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath,${cosyvoice_OPENVINO_LIBS},-rpath-link,${cosyvoice_OPENVINO_LIBS}")
  get_property(cosyvoice_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("CXX" IN_LIST cosyvoice_languages)  # a project in C alone knows no features of C++
    target_compile_features(cosyvoice::cosyvoice INTERFACE cxx_std_17)
  endif()
endif()
