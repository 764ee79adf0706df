/* SPDX-License-Identifier: Apache-2.0 */
/* Ports whose device was removed or has to be reset. */
#include "dev/link.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "wirespeed/generator.h"

uint64_t ws_generator_follow_links(struct ws_generator *generator)
{
	uint64_t gone = 0;
	links_read();
	for (uint16_t i = 0; i < generator->port_count; i++) {
		bool leaves = port_is_leaving(i);
		if (!leaves && !port_wants_reset(i))
			continue;
		port_shut(i);
		/* Once its workers have answered, none of them is in the port any more. */
		generator_ask_shares(generator, i, generator_do_nothing, NULL, 0);
		if (!leaves && !port_reset(i)) {
			port_unshut(i);
			continue;
		}
		port_let_go(i);
		gone |= 1ULL << i;
	}
	return gone;
}
