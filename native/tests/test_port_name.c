/* SPDX-License-Identifier: Apache-2.0 */
/* VPP's names of devices. */
#include "cmocka_all.h"

#include "dev/port_name.h"

#include <rte_ethdev.h>
#include <stdio.h>

static void name_is(const char *pattern, uint32_t speeds, const char *expected)
{
	char name[64];
	snprintf(name, sizeof(name), "%s", pattern);
	port_name_fill(name, sizeof(name), speeds);
	assert_string_equal(name, expected);
}

static void test_the_fastest_speed_names_the_device(void **state)
{
	(void)state;
	name_is("%s2/0/0", RTE_ETH_LINK_SPEED_1G | RTE_ETH_LINK_SPEED_10M, "GigabitEthernet2/0/0");
	name_is("%s2/0/0", RTE_ETH_LINK_SPEED_1G | RTE_ETH_LINK_SPEED_10G, "TenGigabitEthernet2/0/0");
	name_is("%s5/0/1", RTE_ETH_LINK_SPEED_100G | RTE_ETH_LINK_SPEED_25G,
			"HundredGigabitEthernet5/0/1");
	name_is("%s2/0/0", 0, "Ethernet2/0/0");
}

static void test_a_given_name_stays(void **state)
{
	(void)state;
	name_is("e0", RTE_ETH_LINK_SPEED_1G, "e0");
}

static void test_no_name_outgrows_its_room(void **state)
{
	(void)state;
	char name[16] = "%s2/0/0";
	port_name_fill(name, sizeof(name), RTE_ETH_LINK_SPEED_100G);
	assert_string_equal(name, "HundredGigabitE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_fastest_speed_names_the_device),
		cmocka_unit_test(test_a_given_name_stays),
		cmocka_unit_test(test_no_name_outgrows_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
