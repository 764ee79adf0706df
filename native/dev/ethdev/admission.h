/* SPDX-License-Identifier: Apache-2.0 */
/* Admission of frames by a NIC, other than unicast to its own address. */
#pragma once

#include "dev/ethdev/nic_policy.h"

#include <rte_ether.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADMISSION_GROUPS = 256 };

/* All zeros for a device that was just opened, which admits all groups. */
struct admission {
	bool has_all_vlans;
	uint32_t group_count; /* 0: all groups are admitted */
	struct rte_ether_addr groups[ADMISSION_GROUPS];
};

/* `id` is DPDK's number of a started port. Virtual drivers may filter nothing and refuse requests.
 */
void admission_open(struct admission *admission, uint16_t id, const struct nic_policy *policy,
					bool promiscuous);
/* Store the multicast groups to admit. If there are more than fit, all are admitted. */
void admission_set_groups(struct admission *admission, const struct rte_ether_addr *groups,
						  uint32_t count);
/* Apply the groups to the running device. If it has no list of groups, or a shorter one, all groups
 * are admitted. */
void admission_let_groups_in(struct admission *admission, uint16_t id,
							 const struct nic_policy *policy);
/* Returns 0, or the driver's error. */
int admission_set_promiscuous(struct admission *admission, uint16_t id,
							  const struct nic_policy *policy, bool on);
