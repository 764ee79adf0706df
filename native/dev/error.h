/* SPDX-License-Identifier: Apache-2.0 */
/* The error text that ws_error() returns. Main thread only. */
#pragma once

/* Set the error text and return `code` (a negative errno), so that callers can `return
 * fail(-EINVAL, "…")`. */
__attribute__((format(printf, 2, 3))) int fail(int code, const char *format, ...);

enum { ERROR_LINE_LEN = 512 };
struct error_line {
	char text[ERROR_LINE_LEN];
};
/* A copy of the current error text, for callers that restore it after another call that may fail.
 */
struct error_line error_line(void);
