/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that wait for neighbours go with the interface that they came in or leave by. */
#include "router/interface/interface_change.h"
#include "router/router.h"

static int watch_held(struct ws_router *router, uint16_t index, enum interface_change change,
					  const uint8_t *old_mac)
{
	(void)old_mac;
	if (change != INTERFACE_LEAVES)
		return 0;
	router_pause(router);
	for (uint16_t i = 0; i < router->worker_count; i++)
		hold_forget(router->workers[i], index);
	router_resume(router);
	return 0;
}
INTERFACE_WATCH(watch_held)
