/* SPDX-License-Identifier: Apache-2.0 */
/* Links paired with interfaces; conversion of their paths for the router, and rejected ones. */
#pragma once

#include "linux/intake.h"

struct ws_path;

/* Count the object that the router has just refused, and store the reason. */
void intake_reject(struct intake *intake);
/* Convert to a path of the router; its link must be paired. */
void intake_describe_path(struct intake *intake, const struct linux_path *path,
						  struct ws_path *out);
/* The link's interface, or -1. */
int32_t intake_interface(struct intake *intake, int32_t link);
