/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/memif_memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* The driver does not publish its mappings, but they have a recognizable name. */
void memif_populate_rings(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		uintptr_t begin, end;
		if (strstr(line, "/memfd:memif_region") &&
			sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2)
			madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
	}
	if (maps)
		fclose(maps);
}
