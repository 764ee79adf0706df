/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the main() of a test program that uses the rig. */
#pragma once

#include "cmocka_all.h"
#include "tests/router_rig.h"

/* Starts the rig, runs an array of tests, and stops it; the exit code. */
#define RIG_RUN(tests) rig_run(#tests, tests, sizeof(tests) / sizeof((tests)[0]))

static inline int rig_run(const char *name, const struct CMUnitTest *tests, size_t count)
{
	int skip = rig_start();
	if (skip)
		return skip;
	int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
	rig_stop();
	return failed;
}
