/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the control files of ACLs. Main thread only. */
#pragma once

#include "router/acl/acl.h"

/* Before anything else is set. */
extern const struct ws_acl_session_settings acl_session_defaults;
/* The router's table, made now if need be; NULL for want of memory. */
struct acl_table *acl_table(struct ws_router *router);
/* -ENOENT with its line when there is no such ACL. */
int acl_check(const struct ws_router *router, uint32_t index);

/* Before a list takes its place at that interface, and after the old one has left it. */
void acl_reflect_before(struct acl_table *table, uint16_t interface, const struct acl_list *list);
void acl_reflect_after(struct acl_table *table, uint16_t interface);
