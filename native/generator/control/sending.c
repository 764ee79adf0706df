/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/control/sending.h"

/* Profiles are numbered consecutively. */
static uint32_t bucket_of(uint16_t port, uint32_t profile)
{
	return (profile + port * (uint32_t)(SENDING_BUCKETS / WS_MAX_GENERATOR_PORTS)) %
		   SENDING_BUCKETS;
}

struct traffic *sending_find(const struct ws_generator *generator, uint16_t port, uint32_t profile)
{
	struct traffic *one = generator->sending[bucket_of(port, profile)];
	while (one && (one->port != port || one->profile != profile))
		one = one->next;
	return one;
}

void sending_add(struct ws_generator *generator, struct traffic *traffic)
{
	struct traffic **bucket = &generator->sending[bucket_of(traffic->port, traffic->profile)];
	traffic->next = *bucket;
	*bucket = traffic;
	generator->counting += traffic->is_metered;
}

void sending_end(struct ws_generator *generator, struct traffic *traffic)
{
	struct traffic **at = &generator->sending[bucket_of(traffic->port, traffic->profile)];
	while (*at != traffic)
		at = &(*at)->next;
	*at = traffic->next;
	traffic->next = generator->stopped;
	generator->stopped = traffic;
	generator->counting -= traffic->is_metered;
}
