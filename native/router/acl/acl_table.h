/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. Main thread only. */
#ifndef ROUTER_ACL_TABLE_H
#define ROUTER_ACL_TABLE_H

#include "router/acl/acl.h"

/* The router's table, made now if need be; NULL for want of memory. */
struct acl_table *acl_table(struct ws_router *router);
/* -ENOENT with its line when there is no such ACL. */
int acl_check(const struct ws_router *router, uint32_t index);

#endif
