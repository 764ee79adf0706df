/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of an interface applied to the device of its port. Main thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_router;

/* A port whose interface is down neither receives nor has a link, if its driver supports that. */
int router_run_device(struct ws_router *router, uint16_t port, bool on);
/* Real NICs are stopped and started again. */
int router_set_device_mtu(struct ws_router *router, uint16_t port, uint16_t mtu);
/* On the driver's request. False if the reset fails: then the device is closed. */
bool router_reset_device(struct ws_router *router, uint16_t port);
/* The device was removed. The interface stays, without a link. */
void router_let_go_of_device(struct ws_router *router, uint16_t port);
