/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread's side of flow sets. It makes them and attaches them to two ports. The workers of
 * these ports begin and end phases and read counts for it, between two bursts.
 */
#include "generator/flow_set/flow_set_port.h"

#include "dev/error.h"
#include "dev/port.h"
#include "generator/control/command.h"
#include "generator/own_lines.h"
#include "generator/traffic/traffic.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <stdlib.h>

/* Number of phases begun so far, of all sets. Frames of another phase count as late. */
static uint32_t begun;

/* ---- commands to the workers */

struct request {
	struct generator_worker *worker;
	struct generator_port *port;
	struct set_port *own;
	uint32_t phase, latency_every;
	uint16_t generation;
	struct ws_flow_counts *out;
};

/* A worker inspects the frames received on all its ports while one of them has a set. */
static void do_attach(void *argument)
{
	struct request *request = argument;
	struct generator_worker *worker = request->worker;
	request->port->extension = request->own ? &request->own->extension : NULL;
	worker->watch.extended = false;
	for (uint16_t i = 0; i < worker->port_count; i++)
		worker->watch.extended |= worker->ports[i]->extension != NULL;
}

static void do_begin(void *argument)
{
	const struct request *request = argument;
	struct set_port *own = request->own;
	flow_share_begin(&own->share, request->phase, request->generation, request->latency_every);
	own->sent = own->answered = (struct ws_flow){0};
	own->first_tsc = own->last_tsc = 0;
}

static void do_end(void *argument)
{
	((const struct request *)argument)->own->share.phase = WS_PHASE_NONE;
}

static void do_read(void *argument)
{
	const struct request *request = argument;
	const struct set_port *own = request->own;
	*request->out = own->share.counts;
	request->out->sent = own->sent.tx_packets;
	request->out->answered = own->answered.tx_packets;
	request->out->sent_bytes = own->sent.tx_bytes;
	request->out->first_tsc = own->first_tsc;
	request->out->last_tsc = own->last_tsc;
}

/* Run `function` on the workers of all shares at a port. `attached`: with the share of the set. */
static void ask(struct ws_generator *generator, const struct flow_set *set, int role,
				mailbox_fn *function, struct request like, bool attached)
{
	struct request requests[WS_MAX_WORKERS];
	const struct served_port *port = &generator->ports[set->ports[role]];
	for (uint16_t i = 0; i < port->count; i++) {
		requests[i] = like;
		requests[i].port = &port->shares[i];
		requests[i].worker = &generator->workers[port->shares[i].worker];
		requests[i].own = attached ? &set->shares[role][i] : NULL;
		requests[i].out = like.out ? like.out + i : NULL;
	}
	generator_ask_shares(generator, set->ports[role], function, requests, sizeof(requests[0]));
}

/* ---- for the seam */

static struct flow_set *set_at(const struct ws_generator *generator, uint16_t port)
{
	if (port >= generator->port_count)
		return NULL;
	const struct port_extension *extension = generator->ports[port].shares[0].extension;
	return extension && extension->receive == flow_set_extension.receive
			   ? ((const struct set_port *)extension)->set
			   : NULL;
}

static struct flow_set *find(const struct ws_generator *generator, uint16_t initiator, int *error)
{
	struct flow_set *set = set_at(generator, initiator);
	*error = command_check_port(generator, initiator);
	if (!*error && (!set || set->ports[INITIATOR] != initiator))
		*error = fail(-ENOENT, "port %s has no flow set", port_name(initiator));
	return *error ? NULL : set;
}

static bool make_shares(struct flow_set *set, int role, const struct ws_generator *generator)
{
	const struct served_port *port = &generator->ports[set->ports[role]];
	const struct served_port *other = &generator->ports[set->ports[!role]];
	set->shares[role] = own_lines(port->count, sizeof(struct set_port));
	if (!set->shares[role])
		return false;
	set->count[role] = port->count;
	for (uint16_t i = 0; i < port->count; i++) {
		struct set_port *own = &set->shares[role][i];
		own->extension = flow_set_extension;
		own->set = set;
		own->share = (struct flow_share){
			.tuples = &set->tuples,
			.table = set->table,
			.responder = role == RESPONDER,
			.number = i,
			.senders = other->count,
			.ns_per_tick = 1e9 / (double)ws_tsc_hz(),
			.received = own_lines(other->count, sizeof(struct sequence)),
			.delays = own_lines(other->count, sizeof(struct flow_delay)),
		};
		if (set->table->tcp)
			own->share.answers.flows = calloc(FLOW_QUEUE, sizeof(uint32_t));
		if (!own->share.received || !own->share.delays ||
			(set->table->tcp && !own->share.answers.flows))
			return false;
	}
	return true;
}

static struct flow_set *create(const struct ws_generator *generator, uint16_t initiator,
							   uint16_t responder, const struct ws_flow_set *wanted, int *error)
{
	struct flow_set *set = calloc(1, sizeof(*set));
	if (!set) {
		*error = fail(-ENOMEM, "no memory for a flow set");
		return NULL;
	}
	*set = (struct flow_set){.users = 1,
							 .ports = {initiator, responder},
							 .entries_since = begun,
							 .replies_since = begun};
	*error = flow_tuples_make(wanted, &set->tuples);
	if (!*error && wanted->flows > WS_FLOW_SET_MOST)
		*error = fail(-EINVAL, "%u flows; up to %d are possible", wanted->flows, WS_FLOW_SET_MOST);
	if (!*error) {
		set->table = flow_table_create(&set->tuples, wanted->flows);
		if (!set->table || !make_shares(set, INITIATOR, generator) ||
			!make_shares(set, RESPONDER, generator))
			*error = fail(-ENOMEM, "no memory for %u flows, which take %lu MB", wanted->flows,
						  (unsigned long)(ws_flow_set_bytes(wanted->ip6, wanted->flows) >> 20));
	}
	if (!*error)
		return set;
	flow_set_leave(set);
	return NULL;
}

int ws_flow_set_open(struct ws_generator *generator, uint16_t initiator, uint16_t responder,
					 const struct ws_flow_set *wanted)
{
	int error = command_check_port(generator, initiator);
	if (!error)
		error = command_check_port(generator, responder);
	if (!error && initiator == responder)
		error = fail(-EINVAL, "port %s cannot be both initiator and responder; give two ports",
					 port_name(initiator));
	if (error)
		return error;
	ws_flow_set_close(generator, initiator);
	if (set_at(generator, initiator) || set_at(generator, responder))
		return fail(-EBUSY, "port %s or %s already has a flow set; remove it first",
					port_name(initiator), port_name(responder));
	struct flow_set *set = create(generator, initiator, responder, wanted, &error);
	if (!set)
		return error;
	for (int role = 0; role < ROLES; role++) {
		set->users += set->count[role];
		ask(generator, set, role, do_attach, (struct request){0}, true);
	}
	flow_set_leave(set); /* the ports hold the references now */
	return 0;
}

void ws_flow_set_close(struct ws_generator *generator, uint16_t initiator)
{
	int error;
	struct flow_set *set = find(generator, initiator, &error);
	if (!set)
		return;
	set->users++;
	for (int role = 0; role < ROLES; role++) {
		ask(generator, set, role, do_attach, (struct request){0}, false);
		set->users -= set->count[role];
	}
	flow_set_leave(set);
}

uint64_t ws_flow_set_bytes(bool ip6, uint32_t flows)
{
	return flow_table_bytes(ip6, flows);
}

/* True until all streams of the set have been stopped. */
static bool sends(const struct ws_generator *generator, const struct flow_set *set)
{
	for (int bucket = 0; bucket < SENDING_BUCKETS; bucket++)
		for (const struct traffic *one = generator->sending[bucket]; one; one = one->next)
			for (uint32_t i = 0; i < one->count; i++)
				if (flow_set_sends(set, one->senders[i].source))
					return true;
	return false;
}

/* Forget entries and replies before their generation number is reused. */
static void keep_apart(struct flow_set *set, uint32_t phase)
{
	if (phase == WS_PHASE_LEARN && begun - set->entries_since >= FLOW_GENERATIONS - 1) {
		flow_table_clear_entries(set->table);
		set->entries_since = begun;
	}
	if (phase == WS_PHASE_VALIDATE && set->table->tcp)
		flow_table_expect_replies(set->table);
	else if (phase == WS_PHASE_VALIDATE && begun - set->replies_since >= FLOW_GENERATIONS - 1) {
		flow_table_clear_replies(set->table);
		set->replies_since = begun;
	}
}

int ws_flow_set_begin(struct ws_generator *generator, uint16_t initiator, uint32_t phase,
					  uint32_t latency_every)
{
	int error;
	struct flow_set *set = find(generator, initiator, &error);
	if (!set)
		return error;
	if (phase < WS_PHASE_LEARN || phase > WS_PHASE_EXCHANGE)
		return fail(-EINVAL, "phase %u of a flow set does not exist", phase);
	if (latency_every & (latency_every - 1))
		return fail(-EINVAL, "latency of every %u-th frame; give a power of 2, or 0 for none",
					latency_every);
	if (phase != WS_PHASE_LEARN && !set->table->learnt)
		return fail(-EINVAL, "no flows are learnt yet; send phase 1 first");
	generator_reap(generator);
	if (sends(generator, set))
		return fail(-EBUSY, "the flow set of port %s still sends; stop it first",
					port_name(initiator));
	begun++;
	struct request request = {
		.phase = phase,
		.latency_every = latency_every,
		.generation = (uint16_t)(begun % FLOW_GENERATIONS + 1),
	};
	/* Frames received meanwhile belong to no phase, so no worker reads the table. */
	for (int role = 0; role < ROLES; role++)
		ask(generator, set, role, do_end, (struct request){0}, true);
	keep_apart(set, phase);
	if (phase == WS_PHASE_LEARN)
		flow_table_begin(set->table, request.generation);
	for (int role = 0; role < ROLES; role++)
		ask(generator, set, role, do_begin, request, true);
	set->phase = phase;
	return 0;
}

int ws_flow_set_end(struct ws_generator *generator, uint16_t initiator)
{
	int error;
	struct flow_set *set = find(generator, initiator, &error);
	if (!set)
		return error;
	for (int role = 0; role < ROLES; role++)
		ask(generator, set, role, do_end, (struct request){0}, true);
	uint32_t phase = set->phase;
	set->phase = WS_PHASE_NONE;
	if (phase == WS_PHASE_LEARN)
		flow_table_settle(set->table, &set->tuples);
	return 0;
}

static void add(struct ws_flow_counts *sum, const struct ws_flow_counts *other)
{
	uint64_t min_ns = sum->latency_min_ns, max_ns = sum->latency_max_ns;
	uint64_t first = sum->first_tsc, last = sum->last_tsc;
	uint64_t more_ns = sum->more_max_ns, less_ns = sum->less_max_ns;
	bool had = sum->latency_packets;
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)other;
	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
	sum->latency_min_ns = !other->latency_packets ? min_ns
						  : !had                  ? other->latency_min_ns
												  : RTE_MIN(min_ns, other->latency_min_ns);
	sum->more_max_ns = RTE_MAX(more_ns, other->more_max_ns);
	sum->less_max_ns = RTE_MAX(less_ns, other->less_max_ns);
	sum->latency_max_ns = RTE_MAX(max_ns, other->latency_max_ns);
	sum->first_tsc = !other->first_tsc ? first
					 : !first          ? other->first_tsc
									   : RTE_MIN(first, other->first_tsc);
	sum->last_tsc = RTE_MAX(last, other->last_tsc);
}

int ws_flow_set_counts(struct ws_generator *generator, uint16_t initiator, bool responder,
					   struct ws_flow_counts *out)
{
	int error;
	struct flow_set *set = find(generator, initiator, &error);
	if (!set)
		return error;
	uint16_t count = set->count[responder ? RESPONDER : INITIATOR];
	struct ws_flow_counts *counts = calloc(count, sizeof(*counts));
	if (!counts)
		return fail(-ENOMEM, "no memory to read the counts of a flow set");
	ask(generator, set, responder ? RESPONDER : INITIATOR, do_read, (struct request){.out = counts},
		true);
	*out = counts[0];
	for (uint16_t i = 1; i < count; i++)
		add(out, &counts[i]);
	free(counts);
	return 0;
}

int ws_flow_set_learnt(struct ws_generator *generator, uint16_t initiator,
					   struct ws_flow_learnt *out)
{
	int error;
	const struct flow_set *set = find(generator, initiator, &error);
	if (set)
		*out = set->table->told;
	return error;
}

static void put_tuple(uint8_t bytes[36], const struct flow_tuple *tuple, bool ip6)
{
	size_t addresses = ip6 ? 32 : 8;
	memset(bytes, 0, 36);
	memcpy(bytes, tuple->addresses, addresses);
	memcpy(bytes + addresses, &tuple->ports, sizeof(tuple->ports));
}

int ws_flow_set_tuple(struct ws_generator *generator, uint16_t initiator, uint32_t flow,
					  uint8_t sent[36], uint8_t learnt[36])
{
	int error;
	struct flow_tuple tuple;
	const struct flow_set *set = find(generator, initiator, &error);
	if (!set)
		return error;
	const struct flow_table *table = set->table;
	if (flow >= table->flows)
		return fail(-EINVAL, "there is no flow %u; 0 to %u are possible", flow, table->flows - 1);
	tuple = flow_tuple_of(&set->tuples, flow_table_digits(table, &set->tuples, flow), table->ip6);
	put_tuple(sent, &tuple, table->ip6);
	uint32_t marks = flow_entry_read(flow_entry(table, flow, table->ip6), &tuple, table->ip6);
	put_tuple(learnt, &tuple, table->ip6);
	return flow_table_knows(table, marks);
}
