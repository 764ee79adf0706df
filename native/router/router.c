/* SPDX-License-Identifier: Apache-2.0 */

#include "dev/error.h"
#include "router/interface/interface_settings.h"

#include <errno.h>

int router_check_interface(const struct ws_router *router, uint16_t index)
{
	return index < router->interface_count && *interface_name(router, index)
			   ? 0
			   : fail(-ENODEV, "there is no interface %u; show interface lists them", index);
}
