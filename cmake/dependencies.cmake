# What the core needs beside a compiler, each with the remedy when it is missing.
find_package(Threads REQUIRED)

find_package(yaml-cpp QUIET)
if(NOT yaml-cpp_FOUND)
  message(FATAL_ERROR "yaml-cpp is missing: apt-get install libyaml-cpp-dev")
endif()
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

find_path(SODIUM_INCLUDE_DIR sodium.h)
find_library(SODIUM_LIBRARY NAMES sodium)  # Debian's static one is not position-independent
if(NOT SODIUM_INCLUDE_DIR OR NOT SODIUM_LIBRARY)
  message(FATAL_ERROR "libsodium is missing: apt-get install libsodium-dev")
endif()
add_library(cosyvoice_sodium INTERFACE)
target_include_directories(cosyvoice_sodium SYSTEM INTERFACE ${SODIUM_INCLUDE_DIR})
target_link_libraries(cosyvoice_sodium INTERFACE ${SODIUM_LIBRARY})

# OpenVINO comes from the Python wheel, which carries its CMake package.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
if(COSYVOICE_PYTHON AND NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "The headers of ${Python_EXECUTABLE} are missing: apt-get install python3-dev")
endif()
if(NOT EXISTS "${OpenVINO_DIR}/OpenVINOConfig.cmake")
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import openvino, pathlib; print(pathlib.Path(openvino.__file__).parent / 'cmake')"
                  OUTPUT_VARIABLE OpenVINO_DIR OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE openvino_missing)
  if(openvino_missing)
    message(FATAL_ERROR "${Python_EXECUTABLE} has no openvino: pip install openvino")
  endif()
endif()
find_package(OpenVINO REQUIRED COMPONENTS Runtime)
