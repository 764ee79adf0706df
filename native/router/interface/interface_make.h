/* SPDX-License-Identifier: Apache-2.0 */
/* Creation and deletion of interfaces of all kinds. */
#pragma once

#include <stdint.h>

struct interface;
struct interface_settings;
struct ws_router;

/* -EINVAL or -EEXIST, with its line, of a name that no further interface may have. */
int interface_check_name(const struct ws_router *router, const char *name);
/* A free index that is not a port's; -ENOSPC when there are too many interfaces. */
int interface_free_index(struct ws_router *router);
/* `given` and `settings` hold what differs from one to another. Nothing was counted of it yet. */
int interface_make(struct ws_router *router, uint16_t index, const struct interface *given,
				   const struct interface_settings *settings);
/* interface_make for other kinds than ports and sub-interfaces: checks the name, and finds and
 * returns the index. */
int interface_make_own(struct ws_router *router, const struct interface *given,
					   struct interface_settings *settings);
/* Its number is free again once whoever could see it is done with it. */
void interface_free(struct ws_router *router, uint16_t index);
/* A sub-interface that is to be deleted gets no more of its port's frames. */
void subinterface_leave(struct ws_router *router, uint16_t index);
