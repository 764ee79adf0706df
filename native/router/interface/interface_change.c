/* SPDX-License-Identifier: Apache-2.0 */
#include "router/interface/interface_change.h"

#include <stddef.h>

static struct interface_watcher *watchers;

void interface_watch(struct interface_watcher *watcher)
{
	watcher->next = watchers;
	watchers = watcher;
}

int interface_changed(struct ws_router *router, uint16_t index, enum interface_change change)
{
	int error = 0;
	for (const struct interface_watcher *w = watchers; w && !error; w = w->next)
		error = w->changed(router, index, change);
	return error;
}
