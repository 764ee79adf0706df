/* SPDX-License-Identifier: Apache-2.0 */
/* Admission of frames by a NIC, other than unicast to its own address. */
#pragma once

#include "dev/ethdev/nic_policy.h"

#include <rte_ether.h>
#include <stdbool.h>
#include <stdint.h>

enum { ADMISSION_GROUPS = 256 };

/* All zeros for a device that was just opened, which lets in all groups. */
struct admission {
	bool has_all_vlans;
	uint32_t group_count; /* 0: all of them */
	struct rte_ether_addr groups[ADMISSION_GROUPS];
};

/* `id` is DPDK's number of a started port. Virtual drivers may filter nothing, and refuse requests.
 */
void admission_open(struct admission *admission, uint16_t id, const struct nic_policy *policy,
					bool promiscuous);
/* Notes which groups are to come in; more of them than there is room for are all. */
void admission_set_groups(struct admission *admission, const struct rte_ether_addr *groups,
						  uint32_t count);
/* Tells the device of them, which runs: by its list of groups, or where it has none, or a shorter
 * one, by letting all in. */
void admission_let_groups_in(struct admission *admission, uint16_t id,
							 const struct nic_policy *policy);
/* 0, or the driver's error. */
int admission_set_promiscuous(struct admission *admission, uint16_t id,
							  const struct nic_policy *policy, bool on);
