/* SPDX-License-Identifier: Apache-2.0 */
/* What a NIC lets in beside unicast frames to its own address. */
#ifndef DEV_ETHDEV_ADMISSION_H
#define DEV_ETHDEV_ADMISSION_H

#include "dev/ethdev/nic_policy.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros for a device that was just opened. */
struct admission {
	bool has_all_vlans;
};

/* Of DPDK's port `id`, which was started. Virtual drivers may filter nothing, and refuse to be
 * asked. */
void admission_open(struct admission *admission, uint16_t id, const struct nic_policy *policy,
					bool promiscuous);
/* 0, or the driver's error. */
int admission_set_promiscuous(struct admission *admission, uint16_t id,
							  const struct nic_policy *policy, bool on);

#endif
