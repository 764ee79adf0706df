/* SPDX-License-Identifier: Apache-2.0 */
/* Links paired with interfaces, and their paths as reported to and refused by the router. */
#pragma once

#include "linux/intake.h"

struct ws_path;

/* Count what the router just refused, and keep its reason. */
void intake_reject(struct intake *intake);
/* Convert to a path of the router; its link is paired. */
void intake_describe_path(struct intake *intake, const struct linux_path *path,
						  struct ws_path *out);
/* The interface that the link stands for, or -1. */
int32_t intake_interface(struct intake *intake, int32_t link);
