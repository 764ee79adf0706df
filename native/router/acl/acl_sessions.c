/* SPDX-License-Identifier: Apache-2.0 */
/* The main thread's part of the table of sessions: creating, sweeping and clearing it. */
#include "wirespeed/acl_sessions.h"
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/acl/acl_session.h"
#include "router/acl/acl_table.h"
#include "wire/own_count.h"

#include <errno.h>
#include <rte_common.h>
#include <stdlib.h>

enum {
	AT_ONCE = 512,       /* entries removed per grace period */
	SWEEPS_A_SECOND = 8, /* each of an eighth of the table: every age is checked once per second */
	LEAST_SWEEP = 1024,
	GRANULES_A_SECOND = 1024,
};

static void set_timeouts(struct acl_sessions *sessions, const struct ws_router *router)
{
	const uint32_t *seconds = acls_of(router)->session_settings.timeouts_s;
	for (int i = 0; i < WS_ACL_TIMEOUTS; i++)
		__atomic_store_n(&sessions->timeouts[i], seconds[i] * router->tsc_hz, __ATOMIC_RELAXED);
}

static void free_table(struct acl_sessions *sessions)
{
	if (!sessions)
		return;
	free(sessions->at);
	free(sessions->buckets);
	free(sessions->free);
	free(sessions);
}

int acl_sessions_make(struct ws_router *router)
{
	struct acl_table *table = acls_of(router);
	if (table->sessions)
		return 0;
	uint32_t most = table->session_settings.most, buckets = rte_align32pow2(RTE_MAX(most, 2u));
	struct acl_sessions *sessions = aligned_alloc(64, RTE_ALIGN(sizeof(*sessions), 64));
	if (sessions) {
		memset(sessions, 0, sizeof(*sessions));
		/* Memory that was never written takes no pages. */
		sessions->at = aligned_alloc(64, (most + 1) * sizeof(*sessions->at));
		sessions->buckets = calloc(buckets, sizeof(*sessions->buckets));
		sessions->free = malloc(most * sizeof(*sessions->free));
	}
	if (!sessions || !sessions->at || !sessions->buckets || !sessions->free) {
		free_table(sessions);
		return fail(-ENOMEM, "no memory for a table of %u sessions; allow fewer", most);
	}
	rte_spinlock_init(&sessions->lock);
	sessions->most = most;
	sessions->shift = (uint8_t)(64 - __builtin_ctz(buckets));
	sessions->seed = router->glean_seed * 0x9e3779b97f4a7c15u;
	sessions->granule = router->tsc_hz / GRANULES_A_SECOND;
	sessions->sweep_at = 1;
	set_timeouts(sessions, router);
	__atomic_store_n(&table->sessions, sessions, __ATOMIC_RELEASE);
	acl_session_gauges_add(router);
	return 0;
}

static void acl_sessions_free(struct ws_router *router)
{
	if (acls_of(router))
		free_table(acls_of(router)->sessions);
}

/* ---- Removal ---- */

typedef bool is_gone_fn(const struct ws_router *router, const struct acl_session *session,
						uint64_t now);

static void unlink_session(struct acl_sessions *sessions, uint32_t index)
{
	struct acl_session *session = &sessions->at[index];
	uint32_t *place = acl_session_bucket(sessions, &session->key);
	while (*place != index)
		place = &sessions->at[*place].next;
	__atomic_store_n(place, session->next, __ATOMIC_RELEASE);
	session->is_live = false;
	own_count_add(&sessions->counters.active, (uint64_t)-1);
	own_count_add(&sessions->interfaces[session->key.tuple.interface].gone, 1);
}

/* A worker may have reused the entry. */
static bool take_one(const struct ws_router *router, uint32_t index, is_gone_fn *is_gone,
					 uint64_t now, uint64_t *counter)
{
	struct acl_sessions *sessions = acls_of(router)->sessions;
	rte_spinlock_lock(&sessions->lock);
	bool taken = is_gone(router, &sessions->at[index], now);
	if (taken) {
		unlink_session(sessions, index);
		own_count_add(counter, 1);
	}
	rte_spinlock_unlock(&sessions->lock);
	return taken;
}

static void free_taken(struct acl_sessions *sessions, const uint32_t *taken, uint32_t count)
{
	if (!count)
		return;
	rcu_synchronize();
	rte_spinlock_lock(&sessions->lock);
	memcpy(sessions->free + sessions->free_count, taken, count * sizeof(*taken));
	sessions->free_count += count;
	rte_spinlock_unlock(&sessions->lock);
}

static void take_out(const struct ws_router *router, uint32_t from, uint32_t count,
					 is_gone_fn *is_gone, uint64_t *counter)
{
	struct acl_sessions *sessions = acls_of(router)->sessions;
	uint64_t now = graph_tsc();
	uint32_t taken[AT_ONCE], taken_count = 0;
	for (uint32_t at = from; at < from + count; at++) {
		struct acl_session *session = &sessions->at[at];
		if (!__atomic_load_n(&session->is_live, __ATOMIC_ACQUIRE) || !is_gone(router, session, now))
			continue;
		if (take_one(router, at, is_gone, now, counter))
			taken[taken_count++] = at;
		if (taken_count == AT_ONCE) {
			free_taken(sessions, taken, taken_count);
			taken_count = 0;
		}
	}
	free_taken(sessions, taken, taken_count);
}

static uint32_t highest(const struct acl_sessions *sessions)
{
	return __atomic_load_n(&sessions->highest, __ATOMIC_ACQUIRE);
}

static bool is_old(const struct ws_router *router, const struct acl_session *session, uint64_t now)
{
	return acl_session_is_old(acls_of(router)->sessions, session, now);
}

void acl_sessions_age(struct ws_router *router)
{
	struct acl_sessions *sessions = acls_of(router) ? acls_of(router)->sessions : NULL;
	uint64_t now = graph_tsc();
	if (!sessions || now < sessions->next_sweep)
		return;
	uint32_t end = highest(sessions) + 1, from = sessions->sweep_at < end ? sessions->sweep_at : 1;
	uint32_t count = RTE_MIN(RTE_MAX(end / SWEEPS_A_SECOND + 1, LEAST_SWEEP), end - from);
	sessions->next_sweep = now + router->tsc_hz / SWEEPS_A_SECOND;
	take_out(router, from, count, is_old, &sessions->counters.expired);
	sessions->sweep_at = from + count;
	acl_session_gauges_set(router);
}

static void read_key(const struct acl_session *session, union acl_key *key)
{
	const union acl_session_key *from = &session->key;
	const struct acl_session_tuple *tuple = &from->tuple;
	bool is_turned = session->is_output, is_ip6 = tuple->kind & ACL_SESSION_IP6;
	struct acl_upper upper = {.tcp_flags = session->first_flags};
	if ((tuple->kind & ~ACL_SESSION_IP6) == ACL_SESSION_PORTS) {
		upper.source = is_turned ? tuple->far_port : tuple->near_port;
		upper.destination = is_turned ? tuple->near_port : tuple->far_port;
	} else {
		bool is_asked = ((tuple->kind & ~ACL_SESSION_IP6) == ACL_SESSION_FAR_ASKS) == is_turned;
		upper.source = htobe16(is_ip6 ? (is_asked ? ICMP6_ECHO_REQUEST : ICMP6_ECHO_REPLY)
									  : (is_asked ? ICMP4_ECHO_REQUEST : ICMP4_ECHO_REPLY));
	}
	memset(key, 0, sizeof(*key));
	if (is_ip6) {
		key->ip6.protocol = tuple->protocol;
		memcpy(key->ip6.source, is_turned ? from->ip6.far : from->ip6.near, IP6_ADDRESS_LEN);
		memcpy(key->ip6.destination, is_turned ? from->ip6.near : from->ip6.far, IP6_ADDRESS_LEN);
		key->ip6.upper = upper;
		return;
	}
	key->ip4.protocol = tuple->protocol;
	key->ip4.source = is_turned ? from->ip4.far : from->ip4.near;
	key->ip4.destination = is_turned ? from->ip4.near : from->ip4.far;
	key->ip4.upper = upper;
}

static bool is_without_rule(const struct ws_router *router, const struct acl_session *session,
							uint64_t now)
{
	(void)now;
	enum acl_direction direction = session->is_output ? ACL_OUTPUT : ACL_INPUT;
	const struct acl_list *list = acls_of(router)->lists[direction][session->key.tuple.interface];
	bool is_ip6 = session->key.tuple.kind & ACL_SESSION_IP6;
	union acl_key key;
	read_key(session, &key);
	return !list || !acl_list_reflects(list, is_ip6, &key);
}

void acl_sessions_judge(struct ws_router *router)
{
	struct acl_sessions *sessions = acls_of(router)->sessions;
	if (sessions)
		take_out(router, 1, highest(sessions), is_without_rule, &sessions->counters.deleted);
}

static bool is_any(const struct ws_router *router, const struct acl_session *session, uint64_t now)
{
	(void)router;
	(void)session;
	(void)now;
	return true;
}

void ws_router_acl_sessions_clear(struct ws_router *router)
{
	struct acl_sessions *sessions = acls_of(router) ? acls_of(router)->sessions : NULL;
	if (sessions)
		take_out(router, 1, highest(sessions), is_any, &sessions->counters.deleted);
}

/* ---- Settings ---- */

static int check_settings(const struct ws_router *router,
						  const struct ws_acl_session_settings *wanted)
{
	const struct acl_sessions *sessions = acls_of(router) ? acls_of(router)->sessions : NULL;
	if (!wanted->most || wanted->most > WS_MOST_ACL_SESSIONS)
		return fail(-EINVAL, "%u sessions cannot be set; give 1 to %d", wanted->most,
					WS_MOST_ACL_SESSIONS);
	for (int i = 0; i < WS_ACL_TIMEOUTS; i++)
		if (!wanted->timeouts_s[i] || wanted->timeouts_s[i] > WS_MOST_ACL_TIMEOUT_S)
			return fail(-EINVAL, "an idle timeout of %u s cannot be set; give 1 to %d s",
						wanted->timeouts_s[i], WS_MOST_ACL_TIMEOUT_S);
	if (sessions && sessions->most != wanted->most)
		return fail(-EBUSY,
					"the table of sessions has its size, %u, since the first permit+reflect; set "
					"another one before that, or in startup.conf",
					sessions->most);
	return 0;
}

int ws_router_acl_session_set(struct ws_router *router,
							  const struct ws_acl_session_settings *wanted)
{
	int error = check_settings(router, wanted);
	if (error)
		return error;
	struct acl_table *table = acl_table(router);
	if (!table)
		return -ENOMEM;
	table->session_settings = *wanted;
	if (table->sessions)
		set_timeouts(table->sessions, router);
	return 0;
}

ROUTER_MODULE(acl_sessions_module, .name = "acl-sessions", .after = {"acl"},
			  .poll = acl_sessions_age, .free = acl_sessions_free)
