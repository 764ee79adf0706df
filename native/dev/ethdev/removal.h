/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are removed while in use. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Watch for requests to remove the device of DPDK's port `id`, which is port `port` of the port
 * layer. Linux delays a removal until all users have closed the device. */
void removal_watch(uint16_t port, uint16_t id);
void removal_unwatch(uint16_t port);
/* True if the port's device is about to be removed, or was removed. */
bool removal_is_wanted(uint16_t port);
