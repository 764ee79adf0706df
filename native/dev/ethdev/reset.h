/* SPDX-License-Identifier: Apache-2.0 */
/* Devices whose driver asks for a reset (ice, iavf, hns3, bnxt). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Watch for reset requests of DPDK's port `id`, which is port `port` of the port layer. */
void reset_watch(uint16_t port, uint16_t id);
void reset_unwatch(uint16_t port, uint16_t id);
/* True once for each request of the driver. */
bool reset_take(uint16_t port);
bool reset_is_wanted(uint16_t port);
