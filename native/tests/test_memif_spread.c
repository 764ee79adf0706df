/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution over several rings of a memif by one worker: each flow in one ring, in order. */
#include "dev/memif/spread.h"
#include "dev/pool.h"

enum { LINK_PATIENCE_MS = 5000 };
#include "tests/memif_rig.h"

#include <arpa/inet.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUES = 3, FLOWS = 64, FRAME = 60, LONG = 3000 };

/* UDP over IPv4; the last byte is the packet's number within its flow. */
static struct rte_mbuf *make(uint8_t flow, uint8_t serial, uint16_t length)
{
	static const uint8_t head[] = {2, 0,  0, 0, 0,  1, 2, 0, 0, 0,  0,  2, 8,
								   0, 69, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0};
	struct rte_mbuf *first = rte_pktmbuf_alloc(ports_pool()), *last = first;
	for (uint16_t left = length; left;) {
		uint16_t now = RTE_MIN(left, (uint16_t)2000);
		memset(rte_pktmbuf_append(last, now), 0, now);
		left -= now;
		if (!left)
			break;
		struct rte_mbuf *next = rte_pktmbuf_alloc(ports_pool());
		last->next = next;
		last = next;
		first->nb_segs++;
	}
	uint8_t *bytes = rte_pktmbuf_mtod(first, uint8_t *);
	memcpy(bytes, head, sizeof(head));
	bytes[29] = flow;
	bytes[FRAME - 1] = serial;
	first->pkt_len = length;
	return first;
}

static uint8_t flow_of(const struct rte_mbuf *packet)
{
	return rte_pktmbuf_mtod(packet, const uint8_t *)[29];
}

static uint8_t serial_of(const struct rte_mbuf *packet)
{
	return rte_pktmbuf_mtod(packet, const uint8_t *)[FRAME - 1];
}

/* Take all packets from the rings: the ring of each flow, and a check of its order. */
static uint32_t collect(uint16_t to, int ring_of[FLOWS], uint8_t next[FLOWS])
{
	struct rte_mbuf *packet;
	uint32_t count = 0;
	for (uint16_t ring = 0; ring < QUEUES; ring++)
		while (port_receive(to, ring, &packet, 1)) {
			uint8_t flow = flow_of(packet);
			assert_true(ring_of[flow] == -1 || ring_of[flow] == ring);
			ring_of[flow] = ring;
			assert_int_equal(serial_of(packet), next[flow]++);
			rte_pktmbuf_free(packet);
			count++;
		}
	return count;
}

static void send_all(uint16_t from, uint16_t length)
{
	struct rte_mbuf *packets[FLOWS];
	int ring_of[FLOWS];
	uint8_t next[FLOWS] = {0};
	bool is_used[QUEUES] = {false};
	memset(ring_of, -1, sizeof(ring_of));
	for (uint8_t serial = 0; serial < 100; serial++) {
		uint16_t sent = 0;
		for (uint8_t flow = 0; flow < FLOWS; flow++)
			packets[flow] = make(flow, serial, length);
		while (sent < FLOWS) {
			sent += port_transmit(from, 0, packets + sent, FLOWS - sent);
			collect(!from, ring_of, next);
		}
	}
	for (int flow = 0; flow < FLOWS; flow++) {
		assert_int_equal(next[flow], 100);
		is_used[ring_of[flow]] = true;
	}
	for (int ring = 0; ring < QUEUES; ring++)
		assert_true(is_used[ring]);
	assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
}

static void flows_are_spread(void **state)
{
	(void)state;
	send_all(CLIENT, FRAME);
	send_all(SERVER, FRAME);
}

static void long_packets_are_spread(void **state)
{
	(void)state;
	send_all(CLIENT, LONG);
	send_all(SERVER, LONG);
}

/* If the ring of a flow is full, the packets behind it wait: a prefix of the burst is sent. */
static void a_full_ring_holds_up_the_rest(void **state)
{
	struct rte_mbuf *packets[2 * SLOTS];
	int ring_of[FLOWS];
	uint8_t next[FLOWS] = {0};
	(void)state;
	memset(ring_of, -1, sizeof(ring_of));
	for (uint16_t i = 0; i < 2 * SLOTS; i++)
		packets[i] = make(1, (uint8_t)i, FRAME);
	assert_int_equal(port_transmit(CLIENT, 0, packets, 2 * SLOTS), SLOTS);
	assert_int_equal(port_transmit(CLIENT, 0, packets + SLOTS, SLOTS), 0);
	assert_int_equal(collect(SERVER, ring_of, next), SLOTS);
	assert_int_equal(port_transmit(CLIENT, 0, packets + SLOTS, SLOTS), SLOTS);
	assert_int_equal(collect(SERVER, ring_of, next), SLOTS);
	assert_int_equal(rte_mempool_in_use_count(ports_pool()), 0);
}

/* The peer has one RX ring. */
static void a_peer_with_fewer_rings_gets_all(void **state)
{
	struct ws_port_config one = configs[SERVER];
	struct rte_mbuf *packets[FLOWS], *received[FLOWS];
	(void)state;
	one.rx_queues = one.tx_queues = 1;
	expect(ws_port_delete(SERVER));
	wait_for_link(CLIENT, false);
	/* The rings are detached a moment after the link is down. */
	for (uint16_t taken = FLOWS; taken; usleep(1000)) {
		for (uint8_t flow = 0; flow < FLOWS; flow++)
			packets[flow] = make(flow, 0, FRAME);
		taken = port_transmit(CLIENT, 0, packets, FLOWS);
	}
	assert_int_equal(ws_port_add(&one), SERVER);
	wait_for_link(CLIENT, true);
	wait_for_link(SERVER, true);
	assert_int_equal(port_transmit(CLIENT, 0, packets, FLOWS), FLOWS);
	assert_int_equal(port_receive(SERVER, 0, received, FLOWS), FLOWS);
	rte_pktmbuf_free_bulk(received, FLOWS);
}

static void a_flow_is_told_by_addresses_and_ports(void **state)
{
	uint8_t ip4[64] = {[12] = 8, [14] = 0x45, [23] = 17}, changed[64], tagged[64], ip6[64] = {0};
	(void)state;
	static const uint8_t counts[] = {26, 33, 34, 37}; /* both addresses and both ports */
	uint32_t hash = memif_flow_hash(ip4, sizeof(ip4));
	for (size_t i = 0; i < RTE_DIM(counts); i++) {
		memcpy(changed, ip4, sizeof(ip4));
		changed[counts[i]] = 1;
		assert_int_not_equal(memif_flow_hash(changed, sizeof(changed)), hash);
	}
	/* TTL, payload and tags are not part of the flow. */
	memcpy(changed, ip4, sizeof(ip4));
	changed[22] = changed[50] = 1;
	assert_int_equal(memif_flow_hash(changed, sizeof(changed)), hash);
	memcpy(tagged, ip4, 12);
	memcpy(tagged + 12, (const uint8_t[]){0x81, 0, 0, 7}, 4);
	memcpy(tagged + 16, ip4 + 12, 48);
	assert_int_equal(memif_flow_hash(tagged, sizeof(tagged)), hash);
	/* Fragments of a packet stay together, whatever they have in place of ports. */
	memcpy(changed, ip4, sizeof(ip4));
	changed[20] = 0x20;
	hash = memif_flow_hash(changed, sizeof(changed));
	changed[34] = 1;
	assert_int_equal(memif_flow_hash(changed, sizeof(changed)), hash);
	memcpy(ip6 + 12, (const uint8_t[]){0x86, 0xdd, 0x60}, 3);
	ip6[20] = 17;
	hash = memif_flow_hash(ip6, sizeof(ip6));
	ip6[37] = 1;
	assert_int_not_equal(memif_flow_hash(ip6, sizeof(ip6)), hash);
	/* At any length. */
	for (uint16_t length = 0; length <= sizeof(ip6); length++) {
		uint8_t *exact = malloc(length ? length : 1u);
		memcpy(exact, ip6, length);
		memif_flow_hash(exact, length);
		memcpy(exact, ip4, length);
		memif_flow_hash(exact, length);
		memcpy(exact, tagged, length);
		memif_flow_hash(exact, length);
		free(exact);
	}
}

/* ---- The rig ---- */

static int open_rig(void **state)
{
	(void)state;
	if (memif_rig_open("memif_spread", ",zero-copy=yes", QUEUES, LONG))
		return -1;
	for (uint16_t i = 0; i < PORTS; i++)
		port_spread(i);
	memif_rig_wait();
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	ws_runtime_close();
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_is_told_by_addresses_and_ports),
		cmocka_unit_test(flows_are_spread),
		cmocka_unit_test(long_packets_are_spread),
		cmocka_unit_test(a_full_ring_holds_up_the_rest),
		cmocka_unit_test(a_peer_with_fewer_rings_gets_all),
	};
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
