/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of packets for one interface in a frame; the interface is looked up once per run. */
#pragma once

#include "router/packet/metadata.h"

/* End of the run that starts at `start`. */
static inline uint16_t run_of_output(void *const *packets, uint16_t start, uint16_t n)
{
	uint16_t end = start + 1, interface = packet_tx_interface(packets[start]);
	while (end < n && packet_tx_interface(packets[end]) == interface)
		end++;
	return end;
}
