/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/medium.h"

#include <stddef.h>
#include <string.h>

bool memif_is_driver_of(const char *devargs)
{
	return !strncmp(devargs, "net_memif", strlen("net_memif"));
}

enum ws_medium medium_of(const char *devargs)
{
	bool is_ring = !strncmp(devargs, "ring:", strlen("ring:")) ||
				   !strncmp(devargs, "memif:", strlen("memif:")) || memif_is_driver_of(devargs) ||
				   !strncmp(devargs, "net_vhost", strlen("net_vhost"));
	return is_ring ? WS_MEDIUM_RING : WS_MEDIUM_QUEUE;
}

static bool is_one_of(const char *driver, const char *const *those, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(driver, those[i]))
			return true;
	return false;
}

bool medium_drops_without_buffer(const char *driver)
{
	static const char *const those[] = {"memif", "tap", "net_pcap", "net_netvsc"};
	return is_one_of(driver, those, sizeof(those) / sizeof(those[0]));
}

bool medium_works_in_kernel(const char *driver)
{
	static const char *const those[] = {"net_af_packet", "net_af_xdp", "net_pcap", "tap"};
	return is_one_of(driver, those, sizeof(those) / sizeof(those[0]));
}
