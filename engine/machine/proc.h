/* Reads small text files of the kernel. `root` is a prefix of every path: "" for the real ones, a
 * folder in tests. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PROC_PATH_MAX 512
#define PROC_TICKS_A_SECOND 100 /* per processor, in the unit that Linux shows (USER_HZ) */

/* NULL when it cannot be opened. */
FILE *proc_open(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The whole file, cut to fit, without the final newline; false, and "", if it is missing. */
bool proc_text(const char *root, const char *path, char *ret_text, size_t size);

/* The first number of a file, or of the line that begins with `name`; `otherwise` if missing. */
long long proc_number(const char *root, const char *path, const char *name, long long otherwise);

/* The same from an open file; reads up to that line, and closes it. NULL is fine. */
long long proc_number_in(FILE *file, const char *name, long long otherwise);

#define PROC_STAT_START 22 /* when it started, in ticks since the machine did */

/* A number of /proc/PID/stat by its place, as in proc(5), from 4 on; -1 if unreadable. `process`
 * is a number or "self". */
long long proc_stat_number(const char *root, const char *process, int place);

/* Several of them as they are at one moment; `places` ascend. False if one is unreadable. */
MUST_USE bool proc_stat_numbers(const char *root, const char *process, const int *places,
                                size_t count, long long *ret_numbers);

/* The path of a process's control group below the mount of version 2, or of one version 1
 * controller; "" if it has none. `process` is a number or "self". */
void proc_control_group(const char *root, const char *process, const char *controller,
                        char ret_path[PROC_PATH_MAX]);
