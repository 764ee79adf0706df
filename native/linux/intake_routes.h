/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the intake for routes. */
#pragma once

#include "linux/intake.h"

void intake_take_route(struct intake *intake, const struct linux_route *route, bool is_removal,
					   bool from_dump);
void intake_take_nexthop(struct intake *intake, const struct linux_nexthop *nexthop,
						 bool is_removal);
/* After a dump: remove the routes that it did not report. */
void intake_sweep_routes(struct intake *intake, uint8_t family);
