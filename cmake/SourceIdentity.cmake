# Writes a header that says from which sources a build was made. It runs at every build, because a commit changes no
# source, and it leaves the header alone if nothing changed.
#
#   cmake -DSOURCE=<project folder> -DHEADER=<file> -P SourceIdentity.cmake
#
# MUSTER_SOURCE is the commit, followed by ", modified" if a tracked file differs from it; or "not from a git checkout",
# for example in an unpacked archive, even if that lies inside another project's checkout.
find_program(GIT git)
set(source "not from a git checkout")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
                  RESULT_VARIABLE status OUTPUT_VARIABLE below_checkout OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0 AND below_checkout STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%H
                    RESULT_VARIABLE status OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE modified ERROR_QUIET)
      set(source "commit ${commit}")
      if(NOT modified EQUAL 0)
        string(APPEND source ", modified")
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define MUSTER_SOURCE \"@source@\"\n" @ONLY)
