/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/port_name.h"

#include <rte_common.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <string.h>

static const struct {
	uint32_t speed;
	const char *name;
} kinds[] = {
	{RTE_ETH_LINK_SPEED_200G, "TwoHundredGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_100G, "HundredGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_56G, "FiftySixGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_50G, "FiftyGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_40G, "FortyGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_25G, "TwentyFiveGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_20G, "TwentyGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_10G, "TenGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_5G, "FiveGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_2_5G, "TwoDotFiveGigabitEthernet"},
	{RTE_ETH_LINK_SPEED_1G, "GigabitEthernet"},
};

void port_name_fill(char *name, size_t size, uint32_t speeds)
{
	char *at = strstr(name, "%s"), rest[64];
	const char *kind = "Ethernet";
	if (!at)
		return;
	for (size_t i = RTE_DIM(kinds); i-- > 0;)
		if (speeds & kinds[i].speed)
			kind = kinds[i].name;
	snprintf(rest, sizeof(rest), "%s", at + 2);
	snprintf(at, size - (size_t)(at - name), "%s%s", kind, rest);
}
