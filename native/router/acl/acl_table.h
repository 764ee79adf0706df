/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the control files of ACLs. Main thread only. */
#pragma once

#include "router/acl/acl.h"

/* Initial settings. */
extern const struct ws_acl_session_settings acl_session_defaults;
/* The router's table, created if necessary; NULL if memory is short. */
struct acl_table *acl_table(struct ws_router *router);
/* -ENOENT with an error text if there is no such ACL. */
int acl_check(const struct ws_router *router, uint32_t index);

/* Called before a list is set at the interface, and after the old one was removed. */
void acl_reflect_before(struct acl_table *table, uint16_t interface, const struct acl_list *list);
void acl_reflect_after(struct acl_table *table, uint16_t interface);
