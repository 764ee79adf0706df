/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the intake that is about routes. */
#ifndef LINUX_INTAKE_ROUTES_H
#define LINUX_INTAKE_ROUTES_H

#include "linux/intake.h"

struct ws_path;

void intake_take_route(struct intake *intake, const struct linux_route *route, bool is_removal,
					   bool from_dump);
void intake_take_nexthop(struct intake *intake, const struct linux_nexthop *nexthop,
						 bool is_removal);
/* After a dump: what it did not tell of has gone. */
void intake_sweep_routes(struct intake *intake, uint8_t family);
/* Count what the router just refused, and keep its reason. */
void intake_reject(struct intake *intake);
/* As the router names it; its link is paired. */
void intake_describe_path(struct intake *intake, const struct linux_path *path,
						  struct ws_path *out);
/* The interface that the link stands for, or -1. */
int32_t intake_interface(struct intake *intake, int32_t link);

#endif
