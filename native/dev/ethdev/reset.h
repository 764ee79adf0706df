/* SPDX-License-Identifier: Apache-2.0 */
/* Devices whose driver asks for a reset (ice, iavf, hns3, bnxt). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Hear of that of DPDK's port `id`, which is our port `port`. */
void reset_watch(uint16_t port, uint16_t id);
void reset_unwatch(uint16_t port, uint16_t id);
/* Once for each time that the driver says so. */
bool reset_take(uint16_t port);
bool reset_is_wanted(uint16_t port);
