/*
 * Functions of the C library that no room may call. The build includes this file ahead of every C
 * file of ours, so that a call fails to compile and the message names what to use instead.
 *
 * The headers that declare them come first: a macro in the way of its function's declaration
 * would break those headers.
 */
#ifndef ROWHOUSE_BASE_BANNED_H
#define ROWHOUSE_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* No bound, or one that leaves the NUL out: slices, struct buf, arena_printf(). */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef stpcpy
#undef sprintf
#undef vsprintf
#undef gets
#define strcpy(...) strcpy_is_banned_use_slices
#define strcat(...) strcat_is_banned_use_struct_buf
#define strncpy(...) strncpy_is_banned_use_slices
#define strncat(...) strncat_is_banned_use_struct_buf
#define stpcpy(...) stpcpy_is_banned_use_struct_buf
#define sprintf(...) sprintf_is_banned_use_buf_printf
#define vsprintf(...) vsprintf_is_banned_use_arena_vprintf
#define gets(...) gets_is_banned

/* No way to tell a fault: parse_int(). */
#undef atoi
#undef atol
#undef atoll
#undef atof
#define atoi(...) atoi_is_banned_use_parse_int
#define atol(...) atol_is_banned_use_parse_int
#define atoll(...) atoll_is_banned_use_parse_int
#define atof(...) atof_is_banned_use_model_number

/* State shared behind the threads' backs. */
#undef strtok
#undef strerror
#undef rand
#undef srand
#undef localtime
#undef gmtime
#undef ctime
#undef asctime
#define strtok(...) strtok_is_banned_use_slices
#define strerror(...) strerror_is_banned_use_strerror_r
#define rand(...) rand_is_banned_use_base_random
#define srand(...) srand_is_banned_use_base_random
#define localtime(...) localtime_is_banned_use_localtime_r
#define gmtime(...) gmtime_is_banned_use_gmtime_r
#define ctime(...) ctime_is_banned_use_strftime
#define asctime(...) asctime_is_banned_use_strftime

/* The stack grows by what a client sent: the arena. */
#undef alloca
#undef strdupa
#undef strndupa
#define alloca(...) alloca_is_banned_use_arena_alloc
#define strdupa(...) strdupa_is_banned_use_arena_copy
#define strndupa(...) strndupa_is_banned_use_arena_copy

#endif
