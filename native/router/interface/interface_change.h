/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of interfaces, reported to watchers. Interfaces do not depend on the layers above:
 * routes, neighbours, layer 2 and pairs with Linux each have a watcher in a file of their own.
 */
#pragma once

#include <stdint.h>

struct ws_router;

enum interface_change {
	INTERFACE_MADE,
	INTERFACE_MAC_CHANGES, /* before the change */
	INTERFACE_MAC_CHANGED,
	INTERFACE_MTU_CHANGED,
	INTERFACE_ADDRESSES_CHANGED, /* its own addresses */
	INTERFACE_GOT_IP6,           /* or another link-local address */
	INTERFACE_LOST_IP6,
	INTERFACE_BORROWED_NUMBER, /* it uses another interface's addresses from now on */
	INTERFACE_LOST_NUMBER,     /* … and no longer */
	INTERFACE_GOES_DOWN,       /* by command; it can still send */
	INTERFACE_USABLE_CHANGED,  /* `usable` has changed: up and link up */
	INTERFACE_TO_BE_DELETED,   /* users of it return an error with a text */
	INTERFACE_LEAVES,          /* it is down: release it */
};

/* Returns 0, or, for changes that can be refused, a negative errno; the first error ends the round.
 */
typedef int interface_watch_fn(struct ws_router *router, uint16_t index,
							   enum interface_change change);

struct interface_watcher {
	interface_watch_fn *changed;
	struct interface_watcher *next;
};

/* The order is undefined: watchers do not depend on each other. */
void interface_watch(struct interface_watcher *watcher);
int interface_changed(struct ws_router *router, uint16_t index, enum interface_change change);

/* Placed at the foot of a file. */
#define INTERFACE_WATCH(function)                                                                  \
	__attribute__((constructor)) static void interface_watch_##function(void)                      \
	{                                                                                              \
		static struct interface_watcher watcher = {.changed = (function)};                         \
		interface_watch(&watcher);                                                                 \
	}
