/* SPDX-License-Identifier: Apache-2.0 */
/* Two workers, and a memif of two queues with both ends in this process: ports LINES_SERVER and
 * LINES_CLIENT. */
#pragma once

#include "tests/line_watch.h"

enum { LINES_SERVER, LINES_CLIENT, LINES_PORTS, LINES_WORKERS = 2, LINES_SHOWN = 20 };

/* End the program with the error text if `result` is negative. */
void lines_expect(int result, const char *what);
void lines_open(void);
void lines_close(void);
/* The threads of the workers, which are running. */
void lines_threads(pid_t threads[LINES_WORKERS]);
/* After the watch: print shared lines, for addr2line, and write the first ones; returns their
 * number. Each worker must have written to some line. */
int lines_shared(struct shared_line found[LINES_SHOWN]);
