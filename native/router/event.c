/* SPDX-License-Identifier: Apache-2.0 */
#include "router/event.h"

#include "dev/error.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_ring_elem.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { RING_SLOTS = 1024 };

int event_ring_init(struct event_ring *events)
{
	events->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (events->fd < 0)
		return fail(-errno, "no descriptor for the router's events: %s", strerror(errno));
	events->ring = rte_ring_create_elem("router-events", sizeof(struct router_event), RING_SLOTS,
										SOCKET_ID_ANY, RING_F_SC_DEQ);
	if (!events->ring)
		return fail(-rte_errno, "no memory for the router's events");
	return 0;
}

void event_ring_close(struct event_ring *events)
{
	rte_ring_free(events->ring);
	if (events->fd >= 0)
		close(events->fd);
}

bool event_ring_put(struct event_ring *events, const struct router_event *event)
{
	if (rte_ring_mp_enqueue_elem(events->ring, (void *)(uintptr_t)event, sizeof(*event)))
		return false;
	event_ring_wake(events);
	return true;
}

/* Sequentially consistent with event_ring_begin: either the reader still finds the event in this
 * round, or this writer finds the flag cleared and wakes the reader again. */
void event_ring_wake(struct event_ring *events)
{
	const uint64_t one = 1;
	if (!__atomic_exchange_n(&events->signalled, 1, __ATOMIC_SEQ_CST))
		(void)!write(events->fd, &one, sizeof(one));
}

void event_ring_begin(struct event_ring *events)
{
	uint64_t count;
	(void)!read(events->fd, &count, sizeof(count));
	__atomic_store_n(&events->signalled, 0, __ATOMIC_SEQ_CST);
}

bool event_ring_take(struct event_ring *events, struct router_event *event)
{
	return !rte_ring_sc_dequeue_elem(events->ring, event, sizeof(*event));
}
