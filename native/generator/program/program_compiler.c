/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/program/program_compiler.h"

#include "dev/error.h"
#include "wirespeed/streams.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int compiler_fault(const struct compiler *compiler, const char *format, ...)
{
	char what[256];
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return fail(-EINVAL, "stream %u, instruction %u: %s", compiler->stream->id, compiler->index,
				what);
}
