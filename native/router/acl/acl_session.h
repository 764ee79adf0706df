/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of rules that permit and reflect. There is one table for all workers, so that a reply
 * finds its session on any worker.
 *
 * Both directions of a session are one entry. Its key has the addresses and ports behind the
 * interface (near) and beyond it (far): for packets that leave through the interface, source and
 * destination are exchanged. Entries are in chains that begin at buckets. Workers follow the chains
 * without a lock and insert new entries at the front under one. The main thread removes entries
 * under the lock, and frees them once no worker can see them. An entry that has been idle for too
 * long does not count, even if it was not removed yet.
 */
#pragma once

#include "router/acl/acl.h"
#include "router/acl/acl_key.h"
#include "wire/icmp4.h"
#include "wire/icmp6.h"
#include "wire/tcp.h"

#include <rte_spinlock.h>

enum acl_session_kind {
	ACL_SESSION_NONE, /* the packet belongs to no session and opens none */
	ACL_SESSION_PORTS,
	ACL_SESSION_NEAR_ASKS, /* ICMP echo request from the near side */
	ACL_SESSION_FAR_ASKS,
	ACL_SESSION_IP6 = 0x80,
};

struct acl_session_tuple {
	uint16_t near_port, far_port;
	uint16_t interface;
	uint8_t protocol, kind;
};

/* IPv4 addresses are in the first four bytes of `near` and the next four; the rest is not used. */
union acl_session_key {
	uint64_t words[5];
	struct {
		struct acl_session_tuple tuple;
		union {
			struct {
				uint32_t near, far;
			} ip4;
			struct {
				uint8_t near[IP6_ADDRESS_LEN], far[IP6_ADDRESS_LEN];
			} ip6;
		};
	};
};

struct acl_session {
	union acl_session_key key;
	uint64_t seen;       /* TSC of its last packet, with an error of up to `granule` */
	uint32_t next;       /* next entry in its chain; 0: none */
	uint16_t tcp_flags;  /* all flags so far: of the near end, and of the far end 8 bits higher */
	uint8_t first_flags; /* TCP flags of its first packet */
	bool is_live;        /* it is in a chain */
	bool is_output;      /* its first packet left through the interface */
} __attribute__((aligned(64)));

struct acl_session_lane {
	uint64_t hits;
} __attribute__((aligned(64)));

enum { ACL_SESSION_GAUGES = 6 };

struct acl_sessions {
	struct acl_session *at; /* entries 1 to `highest`; [0] is unused */
	uint32_t *buckets;
	uint64_t seed;
	uint64_t granule;
	uint64_t timeouts[WS_ACL_TIMEOUTS]; /* in ticks */
	uint8_t shift;                      /* the bucket is the upper bits of a hash */
	rte_spinlock_t lock __attribute__((aligned(64)));
	uint32_t most, highest;
	uint32_t *free;
	uint32_t free_count;
	uint32_t sweep_at; /* for the main thread */
	uint64_t next_sweep;
	struct ws_acl_session_counters counters; /* all counters except for hits */
	uint32_t gauges[ACL_SESSION_GAUGES];     /* entries of the statistics segment */
	struct acl_session_lane lanes[WS_MAX_WORKERS];
	struct ws_acl_interface_sessions interfaces[WS_MAX_INTERFACES];
};

static inline enum acl_session_kind acl_session_kind(const struct acl_upper *upper,
													 uint8_t protocol, int family, bool is_output)
{
	uint8_t type = (uint8_t)be16toh(upper->source);
	if (upper->ports != ACL_PORTS_READ)
		return ACL_SESSION_NONE;
	if (protocol != IP4_ICMP && protocol != IP6_ICMP)
		return ACL_SESSION_PORTS;
	if (upper->destination || protocol != (family ? IP6_ICMP : IP4_ICMP))
		return ACL_SESSION_NONE;
	if (type == (family ? ICMP6_ECHO_REQUEST : ICMP4_ECHO_REQUEST))
		return is_output ? ACL_SESSION_FAR_ASKS : ACL_SESSION_NEAR_ASKS;
	if (type == (family ? ICMP6_ECHO_REPLY : ICMP4_ECHO_REPLY))
		return is_output ? ACL_SESSION_NEAR_ASKS : ACL_SESSION_FAR_ASKS;
	return ACL_SESSION_NONE;
}

static inline void acl_session_addresses(union acl_session_key *out, const union acl_key *key,
										 int family, bool is_output)
{
	if (!family) {
		uint64_t near = is_output ? key->ip4.destination : key->ip4.source;
		uint64_t far = is_output ? key->ip4.source : key->ip4.destination;
		out->words[1] = near | far << 32;
		return;
	}
	memcpy(out->ip6.near, is_output ? key->ip6.destination : key->ip6.source, IP6_ADDRESS_LEN);
	memcpy(out->ip6.far, is_output ? key->ip6.source : key->ip6.destination, IP6_ADDRESS_LEN);
}

/* False if the packet cannot belong to a session. */
static inline bool acl_session_key(union acl_session_key *out, const union acl_key *key, int family,
								   uint16_t interface, bool is_output)
{
	const struct acl_upper *upper = family ? &key->ip6.upper : &key->ip4.upper;
	uint8_t protocol = family ? key->ip6.protocol : key->ip4.protocol;
	enum acl_session_kind kind = acl_session_kind(upper, protocol, family, is_output);
	if (kind == ACL_SESSION_NONE)
		return false;
	uint64_t near = is_output ? upper->destination : upper->source,
			 far = is_output ? upper->source : upper->destination;
	if (kind != ACL_SESSION_PORTS) {
		near = upper->identifier;
		far = 0;
	}
	/* In the tuple's layout as one word, since it is read as one. */
	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "how the tuple lies");
	out->words[0] = near | far << 16 | (uint64_t)interface << 32 | (uint64_t)protocol << 48 |
					(uint64_t)(kind | (family ? ACL_SESSION_IP6 : 0)) << 56;
	acl_session_addresses(out, key, family, is_output);
	return true;
}

static inline uint32_t *acl_session_bucket(const struct acl_sessions *sessions,
										   const union acl_session_key *key)
{
	uint64_t hash = (sessions->seed ^ key->words[0]) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 32 ^ key->words[1]) * 0xbf58476d1ce4e5b9u;
	if (key->tuple.kind & ACL_SESSION_IP6)
		for (int i = 2; i < 5; i++)
			hash = (hash ^ hash >> 32 ^ key->words[i]) * 0xbf58476d1ce4e5b9u;
	return &sessions->buckets[hash >> sessions->shift];
}

static inline bool acl_session_is(const struct acl_session *session,
								  const union acl_session_key *key)
{
	uint64_t differences =
		(session->key.words[0] ^ key->words[0]) | (session->key.words[1] ^ key->words[1]);
	if (key->tuple.kind & ACL_SESSION_IP6)
		for (int i = 2; i < 5; i++)
			differences |= session->key.words[i] ^ key->words[i];
	return !differences;
}

/* Number of the entry with this key, expired or not; 0 if there is none. */
static inline uint32_t acl_session_find(const struct acl_sessions *sessions, const uint32_t *bucket,
										const union acl_session_key *key)
{
	uint32_t at = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	while (at && !acl_session_is(&sessions->at[at], key))
		at = __atomic_load_n(&sessions->at[at].next, __ATOMIC_ACQUIRE);
	return at;
}

static inline enum ws_acl_timeout acl_session_timeout(const struct acl_session *session)
{
	enum { GREETED = (TCP_SYN | TCP_ACK) * 0x101, LEAVING = (TCP_FIN | TCP_RST) * 0x101 };
	uint16_t flags = __atomic_load_n(&session->tcp_flags, __ATOMIC_RELAXED);
	if (session->key.tuple.protocol != IP4_TCP)
		return WS_ACL_UDP_IDLE;
	return (flags & (GREETED | LEAVING)) == GREETED ? WS_ACL_TCP_IDLE : WS_ACL_TCP_TRANSIENT;
}

/* Clocks of workers and of the main thread may differ slightly. */
static inline bool acl_session_is_old(const struct acl_sessions *sessions,
									  const struct acl_session *session, uint64_t now)
{
	int64_t idle = (int64_t)(now - __atomic_load_n(&session->seen, __ATOMIC_RELAXED));
	return idle > (int64_t)__atomic_load_n(&sessions->timeouts[acl_session_timeout(session)],
										   __ATOMIC_RELAXED);
}

/* Update the session for a packet. A new SYN of its first end begins a new connection. */
static inline void acl_session_see(const struct acl_sessions *sessions, struct acl_session *session,
								   uint8_t tcp_flags, bool is_output, uint64_t now)
{
	int from = is_output ? 8 : 0;
	uint16_t seen = __atomic_load_n(&session->tcp_flags, __ATOMIC_RELAXED);
	uint16_t flags = (uint16_t)(tcp_flags << from);
	if (now - __atomic_load_n(&session->seen, __ATOMIC_RELAXED) > sessions->granule)
		__atomic_store_n(&session->seen, now, __ATOMIC_RELAXED);
	if (!(flags & ~seen) && (tcp_flags & (TCP_SYN | TCP_ACK)) != TCP_SYN)
		return;
	if ((tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN && is_output == session->is_output &&
		seen & (TCP_FIN | TCP_RST) * 0x101)
		__atomic_store_n(&session->tcp_flags, flags, __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(&session->tcp_flags, flags, __ATOMIC_RELAXED);
}

enum acl_opened { ACL_OPENED, ACL_OPEN_ALREADY, ACL_NO_ROOM };

/* Open a session for any worker, or return the one that another worker has opened since the lookup.
 */
enum acl_opened acl_session_open(struct acl_sessions *sessions, const union acl_session_key *key,
								 uint8_t tcp_flags, bool is_output, uint64_t now);

/* ---- Main thread ---- */

/* Make the router's table if it has none; -ENOMEM with an error text. */
int acl_sessions_make(struct ws_router *router);
/* Delete sessions that the changed lists would not open any more. No worker may use the old lists.
 */
void acl_sessions_judge(struct ws_router *router);
/* Remove expired sessions, a part of the table per call. */
void acl_sessions_age(struct ws_router *router);
/* Add the names and values of the table's gauges to the statistics segment. */
void acl_session_gauges_add(struct ws_router *router);
void acl_session_gauges_set(struct ws_router *router);
