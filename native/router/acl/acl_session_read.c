/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions for users: list, counters and settings. */
#include "router/acl/acl_session.h"
#include "router/acl/acl_table.h"
#include "router/observe/stats_directory.h"
#include "wire/address.h"
#include "wire/own_count.h"
#include "wirespeed/acl_sessions.h"

static const struct acl_sessions *sessions_of(const struct ws_router *router)
{
	return acls_of(router) ? acls_of(router)->sessions : NULL;
}

void ws_router_acl_session_settings(const struct ws_router *router,
									struct ws_acl_session_settings *out)
{
	*out = acls_of(router) ? acls_of(router)->session_settings : acl_session_defaults;
}

void ws_router_acl_session_counters(const struct ws_router *router,
									struct ws_acl_session_counters *out)
{
	const struct acl_sessions *sessions = sessions_of(router);
	*out = (struct ws_acl_session_counters){0};
	if (!sessions)
		return;
	/* Written under the lock. */
	const struct ws_acl_session_counters *counters = &sessions->counters;
	*out = (struct ws_acl_session_counters){
		.created = own_count_read(&counters->created),
		.active = own_count_read(&counters->active),
		.expired = own_count_read(&counters->expired),
		.deleted = own_count_read(&counters->deleted),
		.refused = own_count_read(&counters->refused),
	};
	for (uint16_t worker = 0; worker < router->worker_count; worker++)
		out->hits += own_count_read(&sessions->lanes[worker].hits);
}

void ws_router_acl_interface_sessions(const struct ws_router *router, uint16_t index,
									  struct ws_acl_interface_sessions *out)
{
	const struct acl_sessions *sessions = sessions_of(router);
	*out = (struct ws_acl_interface_sessions){0};
	if (sessions && index < WS_MAX_INTERFACES)
		*out = (struct ws_acl_interface_sessions){
			.created = own_count_read(&sessions->interfaces[index].created),
			.gone = own_count_read(&sessions->interfaces[index].gone),
		};
}

static struct ws_address address_of(const union acl_session_key *key, bool is_far)
{
	struct ws_address address = {.family = WS_IP6};
	if (key->tuple.kind & ACL_SESSION_IP6) {
		memcpy(address.bytes, is_far ? key->ip6.far : key->ip6.near, IP6_ADDRESS_LEN);
		return address;
	}
	return address_of_ip4(be32toh(is_far ? key->ip4.far : key->ip4.near));
}

static void read_session(const struct ws_router *router, const struct acl_session *session,
						 uint64_t now, struct ws_acl_session *out)
{
	const struct acl_session_tuple *tuple = &session->key.tuple;
	bool is_turned = session->is_output;
	bool has_ports = (tuple->kind & ~ACL_SESSION_IP6) == ACL_SESSION_PORTS;
	uint16_t near = be16toh(tuple->near_port), far = be16toh(tuple->far_port);
	uint16_t flags = __atomic_load_n(&session->tcp_flags, __ATOMIC_RELAXED);
	int64_t idle = (int64_t)(now - __atomic_load_n(&session->seen, __ATOMIC_RELAXED));
	const struct ws_acl_session_settings *settings = &acls_of(router)->session_settings;
	*out = (struct ws_acl_session){
		.source = address_of(&session->key, is_turned),
		.destination = address_of(&session->key, !is_turned),
		.source_port = is_turned && has_ports ? far : near,
		.destination_port = is_turned && has_ports ? near : far,
		.interface = tuple->interface,
		.is_output = session->is_output,
		.protocol = tuple->protocol,
		.source_tcp_flags = (uint8_t)(is_turned ? flags >> 8 : flags),
		.destination_tcp_flags = (uint8_t)(is_turned ? flags : flags >> 8),
		.idle_s = idle > 0 ? (uint32_t)((uint64_t)idle / router->tsc_hz) : 0,
		.timeout_s = settings->timeouts_s[acl_session_timeout(session)],
	};
}

/* Only the main thread removes sessions, so live entries stay valid here. */
int ws_router_acl_sessions(const struct ws_router *router, uint32_t *cursor,
						   struct ws_acl_session *out, uint32_t max)
{
	const struct acl_sessions *sessions = sessions_of(router);
	uint64_t now = graph_tsc();
	uint32_t count = 0;
	if (!sessions)
		return 0;
	uint32_t highest = __atomic_load_n(&sessions->highest, __ATOMIC_ACQUIRE);
	for (; *cursor < highest && count < max; ++*cursor) {
		const struct acl_session *session = &sessions->at[*cursor + 1];
		if (__atomic_load_n(&session->is_live, __ATOMIC_ACQUIRE) &&
			!acl_session_is_old(sessions, session, now))
			read_session(router, session, now, &out[count++]);
	}
	return (int)count;
}

/* ---- Statistics segment ---- */

static const struct {
	const char *name;
	size_t offset;
} gauges[ACL_SESSION_GAUGES] = {
	{"/acl/sessions/created", offsetof(struct ws_acl_session_counters, created)},
	{"/acl/sessions/active", offsetof(struct ws_acl_session_counters, active)},
	{"/acl/sessions/expired", offsetof(struct ws_acl_session_counters, expired)},
	{"/acl/sessions/deleted", offsetof(struct ws_acl_session_counters, deleted)},
	{"/acl/sessions/refused", offsetof(struct ws_acl_session_counters, refused)},
	{"/acl/sessions/hits", offsetof(struct ws_acl_session_counters, hits)},
};

void acl_session_gauges_add(struct ws_router *router)
{
	stats_lock(&router->stats);
	for (int i = 0; i < ACL_SESSION_GAUGES; i++)
		acls_of(router)->sessions->gauges[i] =
			stats_entry_add(&router->stats, STATS_GAUGE, 0, "%s", gauges[i].name);
	stats_unlock(&router->stats);
}

void acl_session_gauges_set(struct ws_router *router)
{
	struct ws_acl_session_counters counters;
	ws_router_acl_session_counters(router, &counters);
	for (int i = 0; i < ACL_SESSION_GAUGES; i++) {
		uint64_t value;
		memcpy(&value, (const uint8_t *)&counters + gauges[i].offset, sizeof(value));
		stats_gauge_set(&router->stats, acls_of(router)->sessions->gauges[i], value);
	}
}
