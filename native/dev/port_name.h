/* SPDX-License-Identifier: Apache-2.0 */
/* Names of ports by link speed, as in VPP. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Put the kind of Ethernet (TenGigabitEthernet) in place of the first "%s" in the name; `speeds`
 * are the bits of RTE_ETH_LINK_SPEED_* that the device can do. */
void port_name_fill(char *name, size_t size, uint32_t speeds);
