# COSYVOICE_COMMIT: what is built, for `cosyvoice --version`. From the environment's variable of that name, where the sources
# come without their history, or from git; else "unknown". A mark says that files differed from the commit.
set(COSYVOICE_COMMIT "$ENV{COSYVOICE_COMMIT}")
if(NOT COSYVOICE_COMMIT)
  # Sources unpacked inside another repository are not of that one.
  execute_process(COMMAND git rev-parse --show-prefix WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
  if(NOT no_git AND prefix STREQUAL "")
    execute_process(COMMAND git describe --always --dirty=+changes --abbrev=12 --exclude=* WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                    OUTPUT_VARIABLE COSYVOICE_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(NOT COSYVOICE_COMMIT MATCHES "^[0-9A-Za-z.+-]+$")
  set(COSYVOICE_COMMIT "unknown")
endif()
