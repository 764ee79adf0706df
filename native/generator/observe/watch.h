/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's observation of packets beyond counting. */
#pragma once

#include "generator/observe/capture_ring.h"

struct flow_meter;

struct watch {
	bool meters;   /* received packets are inspected for marks */
	bool extended; /* a port has an extension that inspects received packets */
	struct flow_meter *meter;
	struct captures captures;
};
