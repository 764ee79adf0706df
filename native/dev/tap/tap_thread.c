/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/tap/tap_thread.h"

#include "dev/error.h"
#include "dev/helper_thread.h"
#include "dev/link.h"
#include "dev/pool.h"
#include "dev/worker.h"
#include "wirespeed/limits.h"

#include <errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	BURST = 64, /* packets per TAP and direction in one pass */
	MAX_PIECES = 8,
	LONGEST = WS_MAX_MTU + 22, /* longest frame: with Ethernet header and two VLAN tags */
};

static struct {
	struct tap *taps[WS_MAX_PORTS];
	uint16_t count;
	/* Buffers in reserve, so that the pool's lock is taken once for many. */
	struct rte_mbuf *spare[BURST];
	uint16_t spare_count;
} server;

static void serve(void);
static struct helper_thread helper = {
	.name = "ws_tap", .serves = "TAPs", .run = serve, HELPER_THREAD_CLOSED};

void tap_wake(void)
{
	helper_thread_wake(&helper);
}

/* ---- Router to Linux ---- */

static void send_one(struct tap *tap, const struct rte_mbuf *packet)
{
	struct iovec pieces[MAX_PIECES];
	int count = 0;
	for (const struct rte_mbuf *piece = packet; piece && count < MAX_PIECES; piece = piece->next)
		pieces[count++] = (struct iovec){rte_pktmbuf_mtod(piece, void *), piece->data_len};
	if (packet->nb_segs <= MAX_PIECES &&
		writev(tap->fd, pieces, count) == (ssize_t)packet->pkt_len) {
		own_pair_add(&tap->counts.tx, 1, packet->pkt_len);
	} else {
		own_count_add(&tap->counts.tx_errors, 1); /* most often since the interface is down */
	}
}

static uint16_t to_host(struct tap *tap)
{
	struct rte_mbuf *packets[BURST];
	uint16_t n = (uint16_t)rte_ring_sc_dequeue_burst(tap->to_host, (void **)packets, BURST, NULL);
	for (uint16_t i = 0; i < n; i++)
		send_one(tap, packets[i]);
	rte_pktmbuf_free_bulk(packets, n);
	return n;
}

/* ---- Linux to router ---- */

static struct rte_mbuf *take_spare(void)
{
	if (!server.spare_count) {
		if (rte_pktmbuf_alloc_bulk(ports_pool(), server.spare, BURST))
			return NULL;
		server.spare_count = BURST;
	}
	return server.spare[--server.spare_count];
}

/* Read and drop a frame for which there is no room; otherwise epoll would report it again at once.
 */
static bool discard_one(const struct tap *tap)
{
	uint8_t byte;
	return read(tap->fd, &byte, sizeof(byte)) >= 0;
}

static void give_back(struct rte_mbuf *pieces)
{
	for (struct rte_mbuf *next; pieces; pieces = next) {
		next = pieces->next;
		pieces->next = NULL;
		if (server.spare_count < BURST)
			server.spare[server.spare_count++] = pieces;
		else
			rte_pktmbuf_free(pieces);
	}
}

/* Buffers for the longest frame, chained; NULL when the pool is empty. */
static struct rte_mbuf *make_room(struct iovec *pieces, int *count)
{
	struct rte_mbuf *first = NULL, **link = &first;
	uint32_t room = 0;
	for (*count = 0; room < LONGEST && *count < MAX_PIECES; (*count)++) {
		struct rte_mbuf *piece = take_spare();
		if (!piece)
			break;
		pieces[*count] =
			(struct iovec){rte_pktmbuf_mtod(piece, void *), rte_pktmbuf_tailroom(piece)};
		room += rte_pktmbuf_tailroom(piece);
		*link = piece;
		link = &piece->next;
	}
	if (room >= LONGEST)
		return first;
	give_back(first);
	return NULL;
}

/* Cut the chain to `length` bytes and free its unused buffers. */
static void fit(struct rte_mbuf *packet, uint32_t length)
{
	struct rte_mbuf *piece = packet;
	packet->pkt_len = length;
	packet->nb_segs = 0;
	for (;;) {
		piece->data_len = (uint16_t)RTE_MIN(length, (uint32_t)rte_pktmbuf_tailroom(piece));
		length -= piece->data_len;
		packet->nb_segs++;
		if (!length)
			break;
		piece = piece->next;
	}
	give_back(piece->next);
	piece->next = NULL;
}

static struct rte_mbuf *receive_one(struct tap *tap)
{
	struct iovec pieces[MAX_PIECES];
	int count;
	struct rte_mbuf *packet = make_room(pieces, &count);
	if (!packet) {
		if (discard_one(tap))
			own_count_add(&tap->counts.rx_no_buffer, 1);
		else
			tap->readable = false;
		return NULL;
	}
	ssize_t length = readv(tap->fd, pieces, count);
	if (length <= 0) {
		tap->readable = false;
		if (length < 0 && errno == EBADFD)
			__atomic_store_n(&tap->alive, false, __ATOMIC_RELAXED);
		give_back(packet);
		return NULL;
	}
	fit(packet, (uint32_t)length);
	packet->port = tap->port;
	return packet;
}

static uint16_t from_host(struct tap *tap)
{
	struct rte_mbuf *packets[BURST];
	uint16_t n = 0;
	uint64_t bytes = 0;
	if (!tap->readable)
		return 0;
	for (uint16_t tries = 0; tries < BURST && tap->readable; tries++) {
		packets[n] = receive_one(tap);
		if (packets[n])
			bytes += packets[n++]->pkt_len;
	}
	unsigned int taken = rte_ring_sp_enqueue_burst(tap->from_host, (void **)packets, n, NULL);
	for (uint16_t i = (uint16_t)taken; i < n; i++)
		bytes -= packets[i]->pkt_len;
	own_pair_add(&tap->counts.rx, taken, bytes);
	own_count_add(&tap->counts.rx_missed, n - taken);
	rte_pktmbuf_free_bulk(packets + taken, n - taken);
	/* From here on a worker that polls finds the frames. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (taken)
		bell_ring(worker_bell(__atomic_load_n(&tap->poller, __ATOMIC_RELAXED)));
	return n;
}

/* ---- The loop ---- */

static bool rings_are_empty(void)
{
	for (uint16_t i = 0; i < server.count; i++)
		if (!rte_ring_empty(server.taps[i]->to_host))
			return false;
	return true;
}

/* Find out which TAPs are readable. If `may_sleep`, sleep until there is work. */
static void wait_for_work(bool may_sleep)
{
	struct epoll_event events[WS_MAX_PORTS + 1];
	int timeout = 0;
	if (may_sleep) {
		bell_listen(&helper.bell);
		if (rings_are_empty() && !helper_thread_must_stop(&helper))
			timeout = -1;
	}
	int n = epoll_wait(helper.epoll, events, WS_MAX_PORTS + 1, timeout);
	if (may_sleep)
		bell_ignore(&helper.bell);
	for (int i = 0; i < n; i++) {
		struct tap *tap = events[i].data.ptr;
		if (!tap)
			continue;
		if (events[i].events & EPOLLIN)
			tap->readable = true;
		else {
			/* The interface was deleted: a TAP has no other error. */
			__atomic_store_n(&tap->alive, false, __ATOMIC_RELAXED);
			links_changed();
			epoll_ctl(helper.epoll, EPOLL_CTL_DEL, tap->fd, NULL);
		}
	}
}

static void serve(void)
{
	uint32_t work = 1;
	workers_avoid();
	/* Gives the thread a cache of the packets' pool; it also works without, more slowly. */
	bool is_known = !rte_thread_register();
	while (!helper_thread_must_stop(&helper)) {
		wait_for_work(!work);
		work = 0;
		for (uint16_t i = 0; i < server.count; i++)
			work += to_host(server.taps[i]) + from_host(server.taps[i]);
	}
	if (is_known)
		rte_thread_unregister();
}

static void stop(void)
{
	helper_thread_stop(&helper);
	rte_pktmbuf_free_bulk(server.spare, server.spare_count);
	server.spare_count = 0;
}

int tap_thread_add(struct tap *tap)
{
	stop();
	server.taps[server.count++] = tap;
	int error = helper_thread_open(&helper);
	if (!error && helper_thread_watch(&helper, tap->fd, tap))
		error = fail(-errno, "the TAPs' thread cannot wait for a TAP: %s", strerror(errno));
	if (!error)
		error = helper_thread_start(&helper);
	if (error)
		tap_thread_remove(tap);
	return error;
}

void tap_thread_remove(struct tap *tap)
{
	uint16_t kept = 0;
	stop();
	epoll_ctl(helper.epoll, EPOLL_CTL_DEL, tap->fd, NULL);
	for (uint16_t i = 0; i < server.count; i++)
		if (server.taps[i] != tap)
			server.taps[kept++] = server.taps[i];
	server.count = kept;
	if (kept)
		helper_thread_start(&helper);
	else
		helper_thread_close(&helper);
}
