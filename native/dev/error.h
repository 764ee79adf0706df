/* SPDX-License-Identifier: Apache-2.0 */
/* The one line that ws_error() shows. Main thread only. */
#pragma once

/* Keep the message and return `code` (a negative errno), so that callers can `return fail(-EINVAL,
 * "…")`. */
__attribute__((format(printf, 2, 3))) int fail(int code, const char *format, ...);

enum { ERROR_LINE_LEN = 512 };
struct error_line {
	char text[ERROR_LINE_LEN];
};
/* The last one, for who tells it once more after what may fail too. */
struct error_line error_line(void);
