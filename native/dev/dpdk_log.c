/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/dpdk_log.h"

#include <rte_log.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static FILE *stream;
static char *text;
static size_t size;

void dpdk_log_keep(bool shown)
{
	if (!stream)
		stream = open_memstream(&text, &size);
	rte_openlog_stream(shown ? stderr : stream);
}

void dpdk_log_clear(void)
{
	if (stream)
		rewind(stream);
}

/* The beginning of the line that ends at `end`. */
static const char *line_before(const char *end)
{
	while (end > text && end[-1] != '\n')
		end--;
	return end;
}

const char *dpdk_log_reason(void)
{
	static char reason[256];
	static const char eal[] = "EAL: ";
	*reason = 0;
	if (!stream || fflush(stream) || !text)
		return reason;
	const char *end = text + size;
	while (end > text) {
		const char *line = line_before(end);
		bool of_driver = strncmp(line, eal, sizeof(eal) - 1) != 0;
		if (line < end && (of_driver || !*reason))
			snprintf(reason, sizeof(reason), "%.*s", (int)(end - line), line);
		if (line < end && of_driver)
			break;
		end = line > text ? line - 1 : text;
	}
	return reason;
}
