# SPDX-License-Identifier: Apache-2.0
# cmake -DNEW=<list> -DCURRENT=<list> -P UpdateOpNames.cmake: replaces the list of operation names (ops/OpName.h).
#
# Names that are added make no file wrong that was compiled without them: the list keeps its time, and only files that have
# changed are compiled. Where a name has gone, everything that sees the list is compiled again.
file(STRINGS ${NEW} new)
set(gone ${NEW})
if(EXISTS ${CURRENT})
  file(STRINGS ${CURRENT} gone)
  if("${gone}" STREQUAL "${new}")
    return()
  endif()
  list(REMOVE_ITEM gone ${new})
endif()
if(NOT gone)
  execute_process(COMMAND touch -r ${CURRENT} ${NEW})
endif()
file(RENAME ${NEW} ${CURRENT})
