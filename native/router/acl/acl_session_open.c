/* SPDX-License-Identifier: Apache-2.0 */
/* Opening of sessions by workers. */
#include "router/acl/acl_session.h"

#include "wire/own_count.h"

/* 0 if there is no room. Called under the lock. */
static uint32_t take_free(struct acl_sessions *sessions)
{
	if (sessions->free_count)
		return sessions->free[--sessions->free_count];
	if (sessions->highest == sessions->most)
		return 0;
	/* Before the main thread reads the entry, which it first does without the lock. */
	__atomic_store_n(&sessions->at[sessions->highest + 1].is_live, false, __ATOMIC_RELAXED);
	__atomic_store_n(&sessions->highest, sessions->highest + 1, __ATOMIC_RELEASE);
	return sessions->highest;
}

static void begin(struct acl_session *session, uint8_t tcp_flags, bool is_output, uint64_t now)
{
	uint16_t flags = (uint16_t)(tcp_flags << (is_output ? 8 : 0));
	session->first_flags = tcp_flags;
	session->is_output = is_output;
	__atomic_store_n(&session->tcp_flags, flags, __ATOMIC_RELAXED);
	__atomic_store_n(&session->seen, now, __ATOMIC_RELAXED);
}

/* Reuse the entry of an expired session that is still in its chain. */
static void begin_again(struct acl_sessions *sessions, struct acl_session *session,
						uint8_t tcp_flags, bool is_output, uint64_t now)
{
	begin(session, tcp_flags, is_output, now);
	own_count_add(&sessions->counters.expired, 1);
	own_count_add(&sessions->counters.created, 1);
	own_count_add(&sessions->interfaces[session->key.tuple.interface].gone, 1);
	own_count_add(&sessions->interfaces[session->key.tuple.interface].created, 1);
}

static enum acl_opened open_locked(struct acl_sessions *sessions, const union acl_session_key *key,
								   uint8_t tcp_flags, bool is_output, uint64_t now)
{
	uint32_t *bucket = acl_session_bucket(sessions, key);
	uint32_t index = acl_session_find(sessions, bucket, key);
	struct acl_session *session = &sessions->at[index];
	if (index && !acl_session_is_old(sessions, session, now)) {
		acl_session_see(sessions, session, tcp_flags, is_output, now);
		return ACL_OPEN_ALREADY;
	}
	if (index) {
		begin_again(sessions, session, tcp_flags, is_output, now);
		return ACL_OPENED;
	}
	index = take_free(sessions);
	if (!index) {
		own_count_add(&sessions->counters.refused, 1);
		return ACL_NO_ROOM;
	}
	session = &sessions->at[index];
	session->key = *key;
	if (!(key->tuple.kind & ACL_SESSION_IP6))
		session->key.words[2] = session->key.words[3] = session->key.words[4] = 0;
	session->next = *bucket;
	begin(session, tcp_flags, is_output, now);
	__atomic_store_n(&session->is_live, true, __ATOMIC_RELEASE);
	__atomic_store_n(bucket, index, __ATOMIC_RELEASE);
	own_count_add(&sessions->counters.created, 1);
	own_count_add(&sessions->counters.active, 1);
	own_count_add(&sessions->interfaces[key->tuple.interface].created, 1);
	return ACL_OPENED;
}

enum acl_opened acl_session_open(struct acl_sessions *sessions, const union acl_session_key *key,
								 uint8_t tcp_flags, bool is_output, uint64_t now)
{
	rte_spinlock_lock(&sessions->lock);
	enum acl_opened opened = open_locked(sessions, key, tcp_flags, is_output, now);
	rte_spinlock_unlock(&sessions->lock);
	return opened;
}
