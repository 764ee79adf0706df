/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of a memif client that its server reads and fills in place, and the time when the client
 * gets them back. */
#include "dev/memif/control.h"
#include "dev/pool.h"

enum { LINK_PATIENCE_MS = 30000 };
#include "tests/memif_rig.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 256, COUNT = 16, LONG = 5000 };

static uint8_t *lent;
static struct rte_mempool *packets_pool;
static struct rte_mbuf *packets[COUNT];

/* Wait for a new connection in which nothing was sent yet. The server reads its ring while its link
 * is up. */
static void wait_for_new_ring(void)
{
	for (int i = 0; i < 30000; i++) {
		const struct memif_queue *queue = port_paths[SERVER].rx[0];
		if (port_link_is_up(CLIENT) && port_link_is_up(SERVER) && !queue->ring->tail)
			return;
		usleep(1000);
	}
	fail_msg("no new connection");
}

static uint32_t at_large(void)
{
	return rte_mempool_in_use_count(packets_pool);
}

/* Allocate packets from the pool, with their data in memory lent by the port. */
static void get_packets(uint16_t n)
{
	expect(rte_pktmbuf_alloc_bulk(packets_pool, packets, n));
	for (uint16_t i = 0; i < n; i++) {
		packets[i]->buf_addr = lent + (size_t)i * ROOM;
		packets[i]->buf_len = ROOM;
		packets[i]->data_off = 0;
		packets[i]->pkt_len = packets[i]->data_len = (uint16_t)(60 + i);
		memset(packets[i]->buf_addr, i + 1, ROOM);
	}
}

static void check(struct rte_mbuf *packet, uint16_t i)
{
	assert_int_equal(packet->pkt_len, 60 + i);
	assert_int_equal(*rte_pktmbuf_mtod(packet, uint8_t *), i + 1);
	assert_int_equal(*rte_pktmbuf_mtod_offset(packet, uint8_t *, 59 + i), i + 1);
	rte_pktmbuf_free(packet);
}

static void reclaim(void)
{
	assert_int_equal(port_transmit(CLIENT, 0, NULL, 0), 0);
}

static void a_packet_is_ours_again_when_it_was_read(void **state)
{
	struct rte_mbuf *received[COUNT];
	(void)state;
	for (int lap = 0; lap < 3 * SLOTS; lap++) {
		get_packets(COUNT);
		assert_int_equal(port_transmit(CLIENT, 0, packets, COUNT), COUNT);
		reclaim();
		assert_int_equal(at_large(), COUNT);
		/* It is still in place: a change of the data changes the packet that arrives. */
		memset(packets[COUNT - 1]->buf_addr, 99, ROOM);
		assert_int_equal(port_receive(SERVER, 0, received, COUNT / 2), COUNT / 2);
		reclaim();
		assert_int_equal(at_large(), COUNT / 2);
		assert_int_equal(port_receive(SERVER, 0, received + COUNT / 2, COUNT), COUNT / 2);
		reclaim();
		assert_int_equal(at_large(), 0);
		for (uint16_t i = 0; i < COUNT - 1; i++)
			check(received[i], i);
		assert_int_equal(*rte_pktmbuf_mtod(received[COUNT - 1], uint8_t *), 99);
		rte_pktmbuf_free(received[COUNT - 1]);
	}
}

/* A packet from another pool, and one in several segments, between lent ones. */
static void what_lies_elsewhere_is_copied(void **state)
{
	struct rte_mbuf *mixed[4], *received[4];
	(void)state;
	for (int lap = 0; lap < 3 * SLOTS; lap++) {
		get_packets(3);
		mixed[0] = packets[0];
		mixed[1] = rte_pktmbuf_alloc(ports_pool());
		memset(rte_pktmbuf_append(mixed[1], 61), 2, 61);
		mixed[2] = packets[1];
		mixed[2]->data_len = mixed[2]->pkt_len = 32;
		mixed[2]->next = packets[2];
		mixed[2]->nb_segs = 2;
		mixed[2]->pkt_len += packets[2]->data_len;
		assert_int_equal(port_transmit(CLIENT, 0, mixed, 3), 3);
		/* Buffers of copied packets are free at once. */
		assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
		assert_int_equal(at_large(), 1);
		assert_int_equal(port_receive(SERVER, 0, received, 4), 3);
		check(received[0], 0);
		check(received[1], 1);
		assert_int_equal(received[2]->pkt_len, 32 + 62);
		assert_int_equal(*rte_pktmbuf_mtod_offset(received[2], uint8_t *, 31), 2);
		assert_int_equal(*rte_pktmbuf_mtod_offset(received[2], uint8_t *, 32), 3);
		rte_pktmbuf_free(received[2]);
		reclaim();
		assert_int_equal(at_large(), 0);
	}
}

static void a_full_ring_holds_no_more_than_it_has(void **state)
{
	struct rte_mbuf *received[COUNT];
	uint16_t sent = 0, n;
	(void)state;
	for (;;) {
		get_packets(COUNT);
		n = port_transmit(CLIENT, 0, packets, COUNT);
		sent += n;
		if (n < COUNT)
			break;
	}
	rte_pktmbuf_free_bulk(packets + n, COUNT - n);
	assert_int_equal(sent, SLOTS);
	assert_int_equal(at_large(), SLOTS);
	while ((n = port_receive(SERVER, 0, received, COUNT)))
		rte_pktmbuf_free_bulk(received, n);
	reclaim();
	assert_int_equal(at_large(), 0);
}

static void what_is_received_lies_where_it_was_put(void **state)
{
	struct rte_mbuf *sent[COUNT], *received[COUNT], *kept[300];
	uint16_t kept_count = 0;
	int copied = 0;
	(void)state;
	/* Some are kept for longer than one lap of the ring. */
	while (kept_count < 300) {
		expect(rte_pktmbuf_alloc_bulk(ports_pool(), sent, COUNT));
		for (uint16_t i = 0; i < COUNT; i++)
			memset(rte_pktmbuf_append(sent[i], (uint16_t)(60 + i)), i + 1, 60 + i);
		assert_int_equal(port_transmit(SERVER, 0, sent, COUNT), COUNT);
		assert_int_equal(port_receive(CLIENT, 0, received, COUNT), COUNT);
		for (uint16_t i = 0; i < COUNT; i++) {
			copied += received[i]->pool == ports_pool();
			if (i)
				check(received[i], i);
			else
				kept[kept_count++] = received[i];
		}
	}
	assert_int_equal(copied, 0);
	assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
	for (uint16_t i = 0; i < kept_count; i++)
		check(kept[i], 0);
}

/* All lendable packets are in use: packets arrive as copies. */
static void without_buffers_to_lend_packets_are_copied(void **state)
{
	static struct rte_mbuf *all[SLOTS + MEMIF_LENT_SPARE];
	struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
	uint32_t count = 0;
	(void)state;
	memset(rte_pktmbuf_append(packet, 60), 1, 60);
	assert_int_equal(port_transmit(SERVER, 0, &packet, 1), 1);
	assert_int_equal(port_receive(CLIENT, 0, &packet, 1), 1);
	struct rte_mempool *pool = packet->pool;
	assert_ptr_not_equal(pool, ports_pool());
	check(packet, 0);
	while (!rte_mempool_get(pool, (void **)&all[count]))
		count++;
	for (int i = 0; i < 3 * SLOTS; i++) {
		packet = rte_pktmbuf_alloc(ports_pool());
		memset(rte_pktmbuf_append(packet, 60), 1, 60);
		assert_int_equal(port_transmit(SERVER, 0, &packet, 1), 1);
		assert_int_equal(port_receive(CLIENT, 0, &packet, 1), 1);
		assert_ptr_equal(packet->pool, ports_pool());
		check(packet, 0);
	}
	rte_mempool_put_bulk(pool, (void **)all, count);
	assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
}

/* Longer than a buffer, over several slots. */
static void long_packets_arrive_whole(void **state)
{
	uint8_t copy[LONG];
	(void)state;
	for (int lap = 0; lap < 2 * SLOTS; lap++) {
		struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool()), *last = packet;
		for (uint32_t at = 0; at < LONG; at += 1000) {
			struct rte_mbuf *next = at ? rte_pktmbuf_alloc(ports_pool()) : packet;
			memset(rte_pktmbuf_append(next, 1000), (int)(at / 1000) + 1, 1000);
			if (at) {
				last->next = next;
				packet->nb_segs++;
				packet->pkt_len += 1000;
			}
			last = next;
		}
		assert_int_equal(port_transmit(SERVER, 0, &packet, 1), 1);
		assert_int_equal(port_receive(CLIENT, 0, &packet, 1), 1);
		assert_int_equal(packet->pkt_len, LONG);
		const uint8_t *bytes = rte_pktmbuf_read(packet, 0, LONG, copy);
		for (uint32_t at = 0; at < LONG; at++)
			assert_int_equal(bytes[at], at / 1000 + 1);
		rte_pktmbuf_free(packet);
	}
	assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
}

/* With packets in flight in both directions. */
static void a_peer_that_goes_leaves_no_packet_behind(void **state)
{
	struct rte_mbuf *received[COUNT];
	(void)state;
	for (int lap = 0; lap < 10; lap++) {
		get_packets(COUNT);
		assert_int_equal(port_transmit(CLIENT, 0, packets, COUNT), COUNT);
		expect(ws_port_delete(SERVER));
		wait_for_link(CLIENT, false);
		assert_int_equal(at_large(), 0);
		assert_int_equal(ws_port_add(&configs[SERVER]), SERVER);
		wait_for_link(CLIENT, true);
		wait_for_link(SERVER, true);
		assert_int_equal(port_receive(SERVER, 0, received, COUNT), 0);
	}
}

/* ---- A server that breaks the rules ---- */

/* Its tail moves back before slots that were already free. */
static void a_tail_that_goes_back_ends_it(void **state)
{
	struct rte_mbuf *received[COUNT];
	(void)state;
	get_packets(COUNT);
	assert_int_equal(port_transmit(CLIENT, 0, packets, COUNT), COUNT);
	assert_int_equal(port_receive(SERVER, 0, received, COUNT), COUNT);
	rte_pktmbuf_free_bulk(received, COUNT);
	reclaim();
	struct memif_queue *queue = port_paths[SERVER].rx[0];
	assert_int_equal(queue->ring->tail--, COUNT);
	reclaim();
	/* The ports reconnect at once, with new rings; that is too short to observe. */
	wait_for_new_ring();
	assert_int_equal(at_large(), 0);
}

/* ---- Loans ---- */

static void loans_do_not_overlap(void **state)
{
	void *loans[MEMIF_LOANS];
	uint8_t *before = port_lend(CLIENT, 64);
	(void)state;
	assert_null(port_lend(SERVER, 64));
	assert_null(port_lend(CLIENT, MEMIF_LENT_BYTES));
	assert_null(port_lend(CLIENT, UINT64_MAX));
	assert_null(port_lend(CLIENT, 0));
	for (int i = 0; i < 20; i++) {
		loans[i] = port_lend(CLIENT, 1 + 100 * (uint64_t)i);
		assert_non_null(loans[i]);
		assert_int_equal((uintptr_t)loans[i] % 64, 0);
		memset(loans[i], i, 1 + 100 * (size_t)i);
	}
	for (int i = 0; i < 20; i += 2)
		port_end_loan(CLIENT, loans[i]);
	/* It takes the gap of a returned loan. */
	assert_ptr_equal(port_lend(CLIENT, 1801), loans[18]);
	port_end_loan(CLIENT, loans[18]);
	for (int i = 1; i < 20; i += 2) {
		for (int at = 0; at <= 100 * i; at++)
			assert_int_equal(((uint8_t *)loans[i])[at], i);
		port_end_loan(CLIENT, loans[i]);
	}
	port_end_loan(CLIENT, before);
	void *most = port_lend(CLIENT, MEMIF_LENT_BYTES - COUNT * ROOM);
	assert_non_null(most);
	assert_null(port_lend(CLIENT, 1));
	port_end_loan(CLIENT, most);
}

/* ---- The rig ---- */

static int open_rig(void **state)
{
	(void)state;
	if (memif_rig_open("memif_lent", ",zero-copy=yes", 1, 1500))
		return -1;
	packets_pool = rte_pktmbuf_pool_create("sent", 8 * COUNT, 0, 0, ROOM, SOCKET_ID_ANY);
	lent = port_lend(CLIENT, COUNT * ROOM);
	assert_true(packets_pool && lent);
	memif_rig_wait();
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	port_end_loan(CLIENT, lent);
	ws_runtime_close();
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_is_ours_again_when_it_was_read),
		cmocka_unit_test(what_lies_elsewhere_is_copied),
		cmocka_unit_test(a_full_ring_holds_no_more_than_it_has),
		cmocka_unit_test(what_is_received_lies_where_it_was_put),
		cmocka_unit_test(without_buffers_to_lend_packets_are_copied),
		cmocka_unit_test(long_packets_arrive_whole),
		cmocka_unit_test(a_peer_that_goes_leaves_no_packet_behind),
		cmocka_unit_test(a_tail_that_goes_back_ends_it),
		cmocka_unit_test(loans_do_not_overlap),
	};
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
