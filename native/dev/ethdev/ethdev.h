/* SPDX-License-Identifier: Apache-2.0 */
/* Ports with DPDK drivers: the only callers of rte_eth_*. */
#pragma once

#include "dev/port_kind.h"

/* offers.c, nic.c: abilities of some drivers only. */
int ethdev_offers(const struct port *port, struct ws_port_device *out);
int ethdev_set_led(const struct port *port, bool on);
int ethdev_flow_control(const struct port *port, int32_t *mode);
int ethdev_set_flow_control(const struct port *port, int32_t mode);
int ethdev_xstats(const struct port *port, struct ws_xstat *out, uint32_t max);
