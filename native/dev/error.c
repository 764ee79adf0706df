/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/error.h"

#include "wirespeed.h"

#include <stdarg.h>
#include <stdio.h>

static char message[512];

int fail(int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return code;
}

const char *ws_error(void)
{
	return message;
}
