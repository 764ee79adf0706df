/* SPDX-License-Identifier: Apache-2.0 */
/* The state of ACLs, created with the first ACL. Main thread. */
#include "router/acl/acl_table.h"

#include "dev/error.h"

#include <errno.h>
#include <stdlib.h>

const struct ws_acl_session_settings acl_session_defaults = {
	.most = 500000,
	.timeouts_s =
		{[WS_ACL_UDP_IDLE] = 600, [WS_ACL_TCP_IDLE] = 24 * 60 * 60, [WS_ACL_TCP_TRANSIENT] = 120},
};

struct acl_table *acl_table(struct ws_router *router)
{
	struct acl_table *made = acls_of(router);
	if (made)
		return made;
	made = calloc(1, sizeof(*made));
	if (!made) {
		fail(-ENOMEM, "no memory for ACLs");
		return NULL;
	}
	made->session_settings = acl_session_defaults;
	module_set_state(router, &acl_module, made);
	return made;
}

int acl_check(const struct ws_router *router, uint32_t index)
{
	const struct acl_table *table = acls_of(router);
	return table && index < WS_MAX_ACLS && table->acls[index]
			   ? 0
			   : fail(-ENOENT, "there is no ACL %u; show acl-plugin acl lists them", index);
}

ROUTER_MODULE_EXTERN(acl_module, .name = "acl")
