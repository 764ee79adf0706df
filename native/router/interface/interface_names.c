/* SPDX-License-Identifier: Apache-2.0 */
/* A tree whose keys are the names in the settings, so that the address of a key gives the number,
 * too. */
#include "router/interface/interface_names.h"

#include "dev/error.h"
#include "router/interface/interface_settings.h"

#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <string.h>

static int compare(const void *one, const void *other)
{
	return strcmp(one, other);
}

int interface_find(const struct ws_router *router, const char *name)
{
	char *const *found = tfind(name, &router->interface_names, compare);
	if (!found)
		return -1;
	const char *settings = *found - offsetof(struct interface_settings, name);
	return (int)((const struct interface_settings *)(const void *)settings - router->settings);
}

int ws_router_interface_find(struct ws_router *router, const char *name)
{
	return interface_find(router, name);
}

int interface_names_add(struct ws_router *router, uint16_t index)
{
	const char *name = router->settings[index].name;
	return tsearch(name, &router->interface_names, compare)
			   ? 0
			   : fail(-ENOMEM, "no memory for interface %s", name);
}

void interface_names_remove(struct ws_router *router, uint16_t index)
{
	tdelete(router->settings[index].name, &router->interface_names, compare);
}

void interface_names_free(struct ws_router *router)
{
	for (uint16_t i = 0; i < router->interface_count; i++)
		interface_names_remove(router, i);
}
