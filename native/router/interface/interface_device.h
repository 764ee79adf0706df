/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of an interface applied to the device of its port. Main thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* A port whose interface is down neither receives nor has a link, where its driver can do that. */
int router_run_device(struct ws_router *router, uint16_t port, bool on);
/* Real NICs stop for it, and start again. */
int router_set_device_mtu(struct ws_router *router, uint16_t port, uint16_t mtu);
/* Its driver asks for a reset. False when that does not mend it: then it is let go of. */
bool router_reset_device(struct ws_router *router, uint16_t port);
/* It was taken out. The interface stays, without a link. */
void router_let_go_of_device(struct ws_router *router, uint16_t port);
