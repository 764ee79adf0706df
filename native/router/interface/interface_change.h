/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of interfaces, reported to watchers. Interfaces do not know the layers above: routes,
 * neighbours, layer 2 and pairs with Linux each watch from a file of their own.
 */
#pragma once

#include <stdint.h>

struct ws_router;

enum interface_change {
	INTERFACE_MADE,
	INTERFACE_MAC_CHANGES, /* it still has the old one */
	INTERFACE_MAC_CHANGED,
	INTERFACE_MTU_CHANGED,
	INTERFACE_ADDRESSES_CHANGED, /* its own ones */
	INTERFACE_GOT_IP6,           /* or another link-local address */
	INTERFACE_LOST_IP6,
	INTERFACE_BORROWED_NUMBER, /* it uses another's addresses from now on */
	INTERFACE_LOST_NUMBER,     /* … and no longer */
	INTERFACE_GOES_DOWN,       /* by command; it can still send */
	INTERFACE_USABLE_CHANGED,  /* it is up and has a link now, or no longer */
	INTERFACE_TO_BE_DELETED,   /* whoever needs it answers with an error and its line */
	INTERFACE_LEAVES,          /* it is down: let go of it */
};

/* 0, or a negative errno, of the changes that can be refused; the first one ends the round. */
typedef int interface_watch_fn(struct ws_router *router, uint16_t index,
							   enum interface_change change);

struct interface_watcher {
	interface_watch_fn *changed;
	struct interface_watcher *next;
};

/* In no order: watchers do not depend on each other. */
void interface_watch(struct interface_watcher *watcher);
int interface_changed(struct ws_router *router, uint16_t index, enum interface_change change);

/* At the foot of a file. */
#define INTERFACE_WATCH(function)                                                                  \
	__attribute__((constructor)) static void interface_watch_##function(void)                      \
	{                                                                                              \
		static struct interface_watcher watcher = {.changed = (function)};                         \
		interface_watch(&watcher);                                                                 \
	}
