/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are removed while in use. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Linux waits until whoever uses a device lets go of it: hear of that wish for the device of DPDK's
 * port `id`, which is our port `port`. */
void removal_watch(uint16_t port, uint16_t id);
void removal_unwatch(uint16_t port);
/* The port's device goes, or went. */
bool removal_is_wanted(uint16_t port);
