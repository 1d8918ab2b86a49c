# Checks of the source text. `ctest -L lint` runs the quick ones; the targets `tidy` and `format`
# need LLVM's tools: tidy takes minutes, format rewrites files.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

foreach(check includes style)
  add_test(NAME lint.${check}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/check-${check} ${PROJECT_SOURCE_DIR})
  set_tests_properties(lint.${check} PROPERTIES LABELS lint)
endforeach()

# A call of a banned function fails to compile, and the message names it.
add_test(NAME lint.banned
  COMMAND ${CMAKE_C_COMPILER} -include ${PROJECT_SOURCE_DIR}/src/base/banned.h -fsyntax-only
    ${PROJECT_SOURCE_DIR}/tests/unit/base/banned_call.c)
set_tests_properties(lint.banned PROPERTIES
  LABELS lint PASS_REGULAR_EXPRESSION "strcpy_is_banned")

find_program(RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(RUN_CLANG_TIDY)
  add_custom_target(tidy
    COMMAND ${RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR} "^${PROJECT_SOURCE_DIR}/(src|tests|bench)/"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM USES_TERMINAL)
endif()

find_program(CLANG_FORMAT NAMES clang-format clang-format-14)
if(CLANG_FORMAT)
  add_custom_target(format
    COMMAND git ls-files -z -- "*.c" "*.h" "*.cc" | xargs -0 ${CLANG_FORMAT} -i
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    VERBATIM)
endif()
