# A room is one folder of src/, built as one static library named rowhouse_<room>.

find_package(PkgConfig REQUIRED)

add_library(rowhouse_flags INTERFACE)
target_include_directories(rowhouse_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(rowhouse_flags INTERFACE _GNU_SOURCE)
target_compile_options(rowhouse_flags INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wformat=2
  $<IF:$<COMPILE_LANGUAGE:CXX>,-std=gnu++17,-std=gnu17>
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>
  # CHECK(!"what cannot be") is meant.
  $<$<COMPILE_LANG_AND_ID:C,Clang>:-Wno-string-conversion>
  "$<$<COMPILE_LANGUAGE:C>:SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/banned.h>"
  $<$<BOOL:${ROWHOUSE_WERROR}>:-Werror>)
if(ROWHOUSE_SANITIZE)
  # What a sanitizer adds hides from GCC what is set where; the release build keeps the warning.
  target_compile_options(rowhouse_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-maybe-uninitialized>)
  add_compile_options(-fsanitize=${ROWHOUSE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROWHOUSE_SANITIZE})
endif()
if(ROWHOUSE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# A room of headers alone is an interface library.
# rowhouse_room(<room> SOURCES <file>... [ROOMS <room below>...] [LIBRARIES <lib>...])
function(rowhouse_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  list(TRANSFORM ARG_ROOMS PREPEND rowhouse_)
  if(NOT ARG_SOURCES)
    add_library(rowhouse_${room} INTERFACE)
    target_link_libraries(rowhouse_${room} INTERFACE rowhouse_flags ${ARG_ROOMS} ${ARG_LIBRARIES})
    return()
  endif()
  add_library(rowhouse_${room} STATIC ${ARG_SOURCES})
  target_link_libraries(rowhouse_${room} PUBLIC rowhouse_flags ${ARG_ROOMS} ${ARG_LIBRARIES})
endfunction()

# rowhouse_unit_test(<name> SOURCES <file>... ROOMS <room>... [LIBRARIES <lib>...]): one cmocka program.
function(rowhouse_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_ROOMS PREPEND rowhouse_)
  target_link_libraries(test_${name} PRIVATE ${ARG_ROOMS} ${ARG_LIBRARIES} cmocka)
  add_test(NAME unit.${name} COMMAND test_${name})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit)
endfunction()
