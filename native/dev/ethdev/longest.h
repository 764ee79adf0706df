/* SPDX-License-Identifier: Apache-2.0 */
/* The longest frames that DPDK's drivers send and receive. Not all drivers report them. */
#pragma once

#include "dev/port_kind.h"

#include <rte_ethdev.h>

/* Returns 0, or -EMSGSIZE with an error text if the pool's buffers are too small for the driver. */
int longest_check(const struct port *port, const struct rte_eth_dev_info *info);
/* Correct the lengths that the port layer has filled in, for drivers with other limits. */
void longest_describe(const struct port *port, const struct rte_eth_dev_info *info,
					  struct ws_port_info *out);
