/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/error.h"
#include "wirespeed/runtime.h"

#include <stdarg.h>
#include <stdio.h>

static struct error_line last;

int fail(int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(last.text, sizeof(last.text), format, args);
	va_end(args);
	return code;
}

struct error_line error_line(void)
{
	return last;
}

const char *ws_error(void)
{
	return last.text;
}
