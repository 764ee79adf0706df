/* SPDX-License-Identifier: Apache-2.0 */
/* The router's ring of events, and the functions that handle them. Main thread. */
#include "router/event.h"
#include "router/module.h"
#include "wirespeed/router.h"

enum { MOST_A_POLL = 1024 /* a limit, since workers may fill the ring while it is read */ };

static router_event_fn *handlers[EVENT_KINDS];

void router_event_register(enum router_event_kind kind, router_event_fn *handle)
{
	handlers[kind] = handle;
}

/* Events without a handler are dropped: their feature is not built in. */
int router_handle_events(struct ws_router *router)
{
	struct router_event event;
	int count = 0;
	event_ring_begin(&router->events);
	for (; count < MOST_A_POLL && event_ring_take(&router->events, &event); count++)
		if (handlers[event.kind])
			handlers[event.kind](router, &event);
	return count;
}

int ws_router_event_fd(struct ws_router *router)
{
	return router->events.fd;
}

static int events_make(struct ws_router *router)
{
	return event_ring_init(&router->events);
}

static void events_free(struct ws_router *router)
{
	event_ring_close(&router->events);
}

ROUTER_MODULE(events_module, .name = "events", .is_trunk = true, .make = events_make,
			  .free = events_free)
