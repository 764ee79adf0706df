/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of ports register themselves: a kind that is not linked is missing here. */
#include "cmocka_all.h"

#include "dev/port_kind.h"

static void check(const char *devargs, const char *driver)
{
	const struct port_kind *kind = port_kind_of(devargs);
	assert_non_null(kind);
	assert_string_equal(kind->driver, driver);
}

static void kinds_open_their_device_strings(void **state)
{
	(void)state;
	check("memif:/run/socket,id=1", "memif");
	check("ring:a", "ring");
	check("tap:host0", "tap");
}

static void drivers_of_dpdk_open_all_others(void **state)
{
	(void)state;
	check("0000:01:00.0", "");
	check("net_memif0,role=server", "");
	check("ringing", "");
	check("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_open_their_device_strings),
		cmocka_unit_test(drivers_of_dpdk_open_all_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
