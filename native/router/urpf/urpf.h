/* SPDX-License-Identifier: Apache-2.0 */
/* Unicast reverse path forwarding: which interfaces look where a packet's source is. */
#ifndef ROUTER_URPF_H
#define ROUTER_URPF_H

#include "router/router.h"

struct urpf {
	uint8_t modes[FAMILIES][WS_MAX_INTERFACES]; /* enum ws_urpf_mode, one by one */
};

void urpf_free(struct ws_router *router);

#endif
