/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two workers, and memifs of two queues with both ends in this process. Of `wires` memifs, ports i
 * and i + `wires` are the ends of wire i, and every other port is a server, the first one too.
 */
#pragma once

#include "tests/line_watch.h"

enum { LINES_WORKERS = 2, LINES_SHOWN = 20 };

/* End the program with the error text if `result` is negative. */
void lines_expect(int result, const char *what);
void lines_open(int wires);
void lines_close(void);
/* The threads of the workers, which are running. */
void lines_threads(pid_t threads[LINES_WORKERS]);
/* After the watch: print shared lines but those by design, for addr2line, and write the first ones;
 * returns their number. Each worker must have written to some line. */
int lines_shared(struct shared_line found[LINES_SHOWN], line_test *is_by_design);
