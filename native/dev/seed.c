/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t seed_random(void)
{
	uint64_t value;
	struct timespec now;
	if (getrandom(&value, sizeof(value), 0) == sizeof(value))
		return value;
	/* Used only if the system call is forbidden. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_nsec << 32 | (uint64_t)now.tv_sec) * 0x9e3779b97f4a7c15u;
}
