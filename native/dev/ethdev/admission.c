/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/admission.h"

#include <rte_ethdev.h>
#include <string.h>

enum { VLANS = 4096 };

/* The control queue fills this table entry by entry, which takes up to a second. It survives a
 * stop. */
static void let_vlans_in(struct admission *admission, uint16_t id)
{
	uint16_t vlan = 0;
	while (!admission->has_all_vlans && vlan < VLANS && !rte_eth_dev_vlan_filter(id, vlan, 1))
		vlan++;
	admission->has_all_vlans |= vlan == VLANS;
}

void admission_open(struct admission *admission, uint16_t id, const struct nic_policy *policy,
					bool promiscuous)
{
	if (promiscuous)
		rte_eth_promiscuous_enable(id);
	else if (policy->filters_vlans)
		let_vlans_in(admission, id);
	admission_let_groups_in(admission, id, policy);
}

void admission_set_groups(struct admission *admission, const struct rte_ether_addr *groups,
						  uint32_t count)
{
	admission->group_count = count <= ADMISSION_GROUPS ? count : 0;
	memcpy(admission->groups, groups, admission->group_count * sizeof(*groups));
}

void admission_let_groups_in(struct admission *admission, uint16_t id,
							 const struct nic_policy *policy)
{
	if (!policy->filters_groups)
		return;
	/* A start clears the list. */
	bool listed = admission->group_count &&
				  !rte_eth_dev_set_mc_addr_list(id, admission->groups, admission->group_count);
	if (listed)
		rte_eth_allmulticast_disable(id);
	else
		rte_eth_allmulticast_enable(id);
}

int admission_set_promiscuous(struct admission *admission, uint16_t id,
							  const struct nic_policy *policy, bool on)
{
	if (on)
		return rte_eth_promiscuous_enable(id);
	if (policy->filters_vlans)
		let_vlans_in(admission, id);
	return rte_eth_promiscuous_disable(id);
}
