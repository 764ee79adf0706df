/* SPDX-License-Identifier: Apache-2.0 */
/* A setup shared by test programs, and the end of their main(). */
#pragma once

#include "cmocka_all.h"
#include "tests/router_rig.h"
#include "wirespeed/interfaces.h"

/* Setup: e0 and e1 are cross-connected. */
static inline int crossed(void **state)
{
	(void)state;
	rig_reset();
	return ws_router_set_xconnect(rig_router, 0, 1) | ws_router_set_xconnect(rig_router, 1, 0);
}

/* Starts the rig, runs an array of tests, and stops it; returns the exit code. */
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
