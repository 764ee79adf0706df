/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's side of a flow set at a port: its streams send, and received frames are counted. */
#include "generator/flow_set/flow_set_port.h"

#include "dev/error.h"
#include "generator/own_lines.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <stdlib.h>

/* Offset of the last byte of the words in frames without tags and options. */
enum { WORDS_END = ETHERNET_LEN + IP4_LEN + UDP_LEN + WS_FLOW_SET_PAYLOAD - 1 };

/* A stream of a share. The sender points to the first member. */
struct set_source {
	struct packet_source source;
	struct set_port *port;
	struct flow_writing writing;
};

static void free_share(struct flow_share *share)
{
	free(share->answers.flows);
	free(share->received);
	free(share->delays);
}

void flow_set_leave(struct flow_set *set)
{
	if (--set->users)
		return;
	for (int role = 0; role < ROLES; role++) {
		for (uint16_t i = 0; set->shares[role] && i < set->count[role]; i++)
			free_share(&set->shares[role][i].share);
		free(set->shares[role]);
	}
	flow_table_free(set->table);
	free(set);
}

/* ---- on the worker */

static void fill_source(struct packet_source *source, uint8_t *const *packets, uint16_t n)
{
	flow_writing_fill(&((struct set_source *)source)->writing, packets, n);
}

static uint32_t available(const struct packet_source *source)
{
	return flow_writing_available(&((const struct set_source *)source)->writing);
}

static void stamp_source(struct packet_source *source, struct rte_mbuf *const *packets, uint16_t n)
{
	struct set_source *own = (struct set_source *)source;
	struct set_port *port = own->port;
	uint64_t now = rte_rdtsc();
	if (source->sent == &port->sent) {
		port->first_tsc = port->first_tsc ? port->first_tsc : now;
		port->last_tsc = now;
	}
	if (port->share.latency_mask == UINT32_MAX || !own->writing.writer.words_at)
		return;
	for (uint16_t i = 0; i < n; i++)
		flow_stamp(&own->writing.writer, rte_pktmbuf_mtod(packets[i], uint8_t *), now);
}

static void receive(struct port_extension *extension, struct rte_mbuf *const *packets, uint16_t n,
					uint64_t now)
{
	struct flow_view views[FLOW_BURST];
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *head = rte_pktmbuf_mtod(packets[i], const uint8_t *);
		/* The first cache line was read already; the words may be in the next one. */
		__builtin_prefetch(head + WORDS_END);
		views[i] = (struct flow_view){head, packets[i]->data_len, packets[i]->pkt_len};
	}
	flow_share_receive(&((struct set_port *)extension)->share, views, n, now);
}

/* ---- streams, on the main thread */

static void free_source(struct packet_source *source)
{
	flow_set_leave(((struct set_source *)source)->port->set);
	free(source);
}

static struct packet_source *make_source(struct port_extension *extension,
										 const struct ws_stream *stream, struct stream_part part,
										 const uint8_t *frame, uint16_t frame_len, int *error)
{
	struct set_port *port = (struct set_port *)extension;
	struct set_source *own = own_lines(1, sizeof(*own));
	if (!own) {
		*error = fail(-ENOMEM, "no memory for stream %u", stream->id);
		return NULL;
	}
	*error = flow_writing_make(&own->writing, &port->share, stream->id, stream->flow_id, part,
							   frame, frame_len);
	if (*error) {
		free(own);
		return NULL;
	}
	own->port = port;
	bool answers = stream->flow_id == WS_FLOW_ANSWER;
	own->source = (struct packet_source){
		.fill = fill_source,
		.stamp = stamp_source,
		.free = free_source,
		.available = answers ? available : NULL,
		.sent = answers ? &port->answered : &port->sent,
	};
	port->set->users++;
	return &own->source;
}

static void leave_port(struct port_extension *extension)
{
	flow_set_leave(((struct set_port *)extension)->set);
}

const struct port_extension flow_set_extension = {make_source, receive, leave_port};

bool flow_set_sends(const struct flow_set *set, const struct packet_source *source)
{
	return source && source->fill == fill_source &&
		   ((const struct set_source *)source)->port->set == set;
}
