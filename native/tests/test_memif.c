/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memif ports of this process at both ends of one socket, and a client that breaks the rules.
 * Packets to send are in heap blocks of exact size, so that reads beyond them are found.
 */
#include "dev/memif/peer.h"
#include "dev/memif/socket.h"
#include "dev/pool.h"

enum { LINK_PATIENCE_MS = 5000 };
#include "tests/memif_rig.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONG = 9000, QUEUES = 2, HOSTILE_LOG2 = 4 };

/* ---- Packets ---- */

static void free_block(void *bytes, void *shared)
{
	free(bytes);
	free(shared);
}

static struct rte_mbuf *make_piece(uint32_t first, uint16_t length)
{
	struct rte_mbuf *piece = rte_pktmbuf_alloc(ports_pool());
	struct rte_mbuf_ext_shared_info *shared = calloc(1, sizeof(*shared));
	uint8_t *bytes = malloc(length);
	assert_true(piece && shared && bytes);
	*shared = (struct rte_mbuf_ext_shared_info){.free_cb = free_block, .fcb_opaque = shared};
	rte_mbuf_ext_refcnt_set(shared, 1);
	rte_pktmbuf_attach_extbuf(piece, bytes, RTE_BAD_IOVA, length, shared);
	piece->data_off = 0;
	piece->data_len = length;
	piece->pkt_len = length;
	for (uint32_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)((first + i) * 7 + 3);
	return piece;
}

/* In segments of at most `piece` bytes. */
static struct rte_mbuf *make(uint32_t length, uint16_t piece)
{
	struct rte_mbuf *packet = make_piece(0, (uint16_t)RTE_MIN(length, piece)), *last = packet;
	for (uint32_t at = piece; at < length; at += piece) {
		last->next = make_piece(at, (uint16_t)RTE_MIN(length - at, piece));
		last = last->next;
		packet->nb_segs++;
		packet->pkt_len += last->data_len;
	}
	return packet;
}

static void check(struct rte_mbuf *packet, uint32_t length, uint16_t port)
{
	uint8_t copy[16384];
	assert_int_equal(packet->pkt_len, length);
	assert_int_equal(packet->port, port);
	const uint8_t *bytes = rte_pktmbuf_read(packet, 0, length, copy);
	assert_non_null(bytes);
	for (uint32_t i = 0; i < length; i++)
		if (bytes[i] != (uint8_t)(i * 7 + 3))
			fail_msg("byte %u of %u", i, length);
	rte_pktmbuf_free(packet);
}

static void pass(uint16_t from, uint16_t to, uint32_t length, uint16_t piece)
{
	struct rte_mbuf *packet = make(length, piece), *received;
	assert_int_equal(port_transmit(from, 0, &packet, 1), 1);
	assert_int_equal(port_receive(to, 0, &received, 1), 1);
	check(received, length, to);
	assert_int_equal(port_receive(to, 0, &received, 1), 0);
}

static uint32_t buffers_at_large(void)
{
	return rte_mempool_in_use_count(ports_pool());
}

static void every_length_arrives_whole(void **state)
{
	(void)state;
	for (uint32_t length = 1; length <= 300; length++) {
		pass(SERVER, CLIENT, length, UINT16_MAX);
		pass(CLIENT, SERVER, length, UINT16_MAX);
	}
	/* Around the lengths of a client's and of the pool's buffers. */
	for (uint32_t length = 1900; length <= 2300; length++) {
		pass(SERVER, CLIENT, length, UINT16_MAX);
		pass(CLIENT, SERVER, length, UINT16_MAX);
	}
	assert_int_equal(buffers_at_large(), 0);
}

static void chains_arrive_whole(void **state)
{
	(void)state;
	const uint16_t pieces[] = {1, 100, 2048, 4095, LONG};
	const uint32_t lengths[] = {2, 64, 1514, 2049, 4096, LONG};
	for (size_t i = 0; i < RTE_DIM(pieces); i++)
		for (size_t j = 0; j < RTE_DIM(lengths); j++) {
			pass(SERVER, CLIENT, lengths[j], RTE_MAX(pieces[i], (uint16_t)(lengths[j] / 200)));
			pass(CLIENT, SERVER, lengths[j], RTE_MAX(pieces[i], (uint16_t)(lengths[j] / 200)));
		}
	assert_int_equal(buffers_at_large(), 0);
}

/* Long packets between short ones, more than fit: they are sent in order, and the caller keeps the
 * refused ones. */
static void a_full_ring_takes_what_fits(void **state)
{
	(void)state;
	struct rte_mbuf *packets[2 * SLOTS], *received[2 * SLOTS];
	for (uint16_t from = 0; from < PORTS; from++) {
		uint16_t to = !from, at = 0, n;
		for (uint16_t i = 0; i < 2 * SLOTS; i++)
			packets[i] = make(i % 5 == 4 ? 3000u + i : 60u + i, UINT16_MAX);
		uint16_t sent = port_transmit(from, 0, packets, 2 * SLOTS);
		assert_in_range(sent, SLOTS * 5 / 6 - 1, SLOTS * 5 / 6 + 1);
		assert_int_equal(port_transmit(from, 0, packets + sent, 2 * SLOTS - sent),
						 (SLOTS - sent - sent / 5) ? 1 : 0);
		sent += (SLOTS - sent - sent / 5) ? 1 : 0;
		while ((n = port_receive(to, 0, received + at, 7)))
			at += n;
		assert_int_equal(at, sent);
		for (uint16_t i = 0; i < at; i++)
			check(received[i], i % 5 == 4 ? 3000u + i : 60u + i, to);
		rte_pktmbuf_free_bulk(packets + sent, 2 * SLOTS - sent);
	}
	assert_int_equal(buffers_at_large(), 0);
}

/* Indices wrap many times. */
static void bursts_go_round(void **state)
{
	(void)state;
	struct rte_mbuf *packets[32], *received[32];
	struct ws_port_counters before, after;
	expect(ws_port_counters(CLIENT, &before));
	for (int lap = 0; lap < 3000; lap++) {
		for (uint16_t i = 0; i < 32; i++)
			packets[i] = make(60, UINT16_MAX);
		assert_int_equal(port_transmit(SERVER, 0, packets, 32), 32);
		assert_int_equal(port_receive(CLIENT, 0, received, 32), 32);
		assert_int_equal(port_transmit(CLIENT, 1, received, 32), 32);
		assert_int_equal(port_receive(SERVER, 1, received, 32), 32);
		for (uint16_t i = 0; i < 32; i++)
			check(received[i], 60, SERVER);
	}
	expect(ws_port_counters(CLIENT, &after));
	assert_int_equal(after.rx_packets - before.rx_packets, 96000);
	assert_int_equal(after.rx_bytes - before.rx_bytes, 96000 * 60);
	assert_int_equal(after.tx_packets - before.tx_packets, 96000);
	assert_int_equal(buffers_at_large(), 0);
}

/* ---- Coming and going ---- */

static int count_descriptors(void)
{
	DIR *open = opendir("/proc/self/fd");
	int count = 0;
	while (readdir(open))
		count++;
	closedir(open);
	return count;
}

/* From the list of mappings, which in an emulated program excludes the emulator's. */
static unsigned long mapped_pages(void)
{
	unsigned long bytes = 0, from, to;
	char line[512];
	FILE *file = fopen("/proc/self/maps", "re");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx", &from, &to) == 2)
			bytes += to - from;
	fclose(file);
	return bytes / (unsigned long)sysconf(_SC_PAGESIZE);
}

static void replace(uint16_t port)
{
	expect(ws_port_delete(port));
	wait_for_link(!port, false);
	assert_int_equal(ws_port_add(&configs[port]), port);
	wait_for_link(port, true);
	wait_for_link(!port, true);
}

static void links_come_back(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		replace(SERVER);
		pass(SERVER, CLIENT, 60, UINT16_MAX);
		replace(CLIENT);
		pass(CLIENT, SERVER, 60, UINT16_MAX);
	}
}

static void without_a_peer_nothing_is_taken(void **state)
{
	(void)state;
	struct rte_mbuf *packet = make(60, UINT16_MAX);
	expect(ws_port_delete(SERVER));
	wait_for_link(CLIENT, false);
	assert_int_equal(port_transmit(CLIENT, 0, &packet, 1), 0);
	assert_int_equal(port_receive(CLIENT, 0, &packet, 1), 0);
	rte_pktmbuf_free(packet);
	assert_int_equal(ws_port_add(&configs[SERVER]), SERVER);
	wait_for_link(CLIENT, true);
}

/* Some objects are created once, by the first memif; they do not count. */
static void nothing_is_left_of_the_deleted(void **state)
{
	(void)state;
	struct ws_port_config more = configs[SERVER];
	int descriptors = 0;
	unsigned long pages = 0;
	snprintf(more.devargs, sizeof(more.devargs), "memif:%s/more.sock,role=server", directory);
	for (int i = 0; i < 500; i++) {
		int port = ws_port_add(&more);
		expect(port);
		expect(ws_port_delete((uint16_t)port));
		if (i == 20) {
			descriptors = count_descriptors();
			pages = mapped_pages();
		}
	}
	assert_int_equal(count_descriptors(), descriptors);
	/* Less than one page per port; a sanitizer's own memory grows a little. */
	assert_in_range(mapped_pages(), 0, pages + 240);
	assert_int_equal(access(more.devargs + strlen("memif:"), F_OK), -1);
}

static void a_server_tells_ids_apart(void **state)
{
	(void)state;
	struct ws_port_config same = configs[SERVER];
	snprintf(same.devargs, sizeof(same.devargs), "memif:%s,role=server,id=0", path);
	assert_int_equal(ws_port_add(&same), -EEXIST);
	snprintf(same.devargs, sizeof(same.devargs), "memif:%s,role=server,id=7", path);
	int other = ws_port_add(&same);
	expect(other);
	assert_false(port_link_is_up((uint16_t)other));
	expect(ws_port_delete((uint16_t)other));
	pass(SERVER, CLIENT, 60, UINT16_MAX);
}

static void wrong_words_are_refused(void **state)
{
	(void)state;
	const char *const wrong[] = {"role=master", "id=x", "id=4294967296", "colour=red",
								 "secret=0123456789012345678901234"};
	struct ws_port_config config = configs[CLIENT];
	for (size_t i = 0; i < RTE_DIM(wrong); i++) {
		snprintf(config.devargs, sizeof(config.devargs), "memif:%s,%s", path, wrong[i]);
		assert_int_equal(ws_port_add(&config), -EINVAL);
	}
	/* DPDK's words keep the last one. */
	snprintf(config.devargs, sizeof(config.devargs), "memif:/nowhere/at/all/e.sock,role=server");
	assert_int_equal(ws_port_add(&config), -ENOENT);
}

/* ---- A client that breaks the rules ---- */

static struct ws_port_config guarded;
static struct memif_peer hostile;
static int hostile_socket = -1;
static uint8_t hostile_log2 = HOSTILE_LOG2;

static struct memif_message answer(void)
{
	struct memif_message message = {0};
	struct pollfd wait = {.fd = hostile_socket, .events = POLLIN};
	int fd;
	assert_int_equal(poll(&wait, 1, 5000), 1);
	assert_int_equal(memif_take(hostile_socket, &message, &fd), 1);
	return message;
}

static void say_hello(const char *secret, uint32_t id)
{
	struct memif_message init = {.type = MEMIF_INIT};
	char at[64];
	snprintf(at, sizeof(at), "%s/guarded.sock", directory);
	hostile_socket = memif_connect(at);
	assert_true(hostile_socket >= 0);
	assert_int_equal(answer().type, MEMIF_HELLO);
	init.init.version = MEMIF_VERSION;
	init.init.id = id;
	snprintf(init.init.secret, sizeof(init.init.secret), "%s", secret);
	assert_true(memif_send(hostile_socket, &init, -1));
}

static void hang_up(void)
{
	close(hostile_socket);
	hostile_socket = -1;
	memif_peer_free(&hostile);
}

static void is_sent_away(const char *reason)
{
	struct memif_message message = answer();
	assert_int_equal(message.type, MEMIF_DISCONNECT);
	assert_string_equal(message.disconnect.reason, reason);
	hang_up();
}

static uint16_t open_guarded(void)
{
	guarded = configs[SERVER];
	snprintf(guarded.devargs, sizeof(guarded.devargs),
			 "memif:%s/guarded.sock,role=server,secret=open", directory);
	int port = ws_port_add(&guarded);
	expect(port);
	return (uint16_t)port;
}

/* Send all messages after INIT; returns the last reply. */
static struct memif_message lay_out(void)
{
	const uint16_t counts[] = {1, 1};
	struct memif_message message;
	int fd;
	say_hello("open", 0);
	assert_int_equal(answer().type, MEMIF_ACK);
	expect(memif_peer_lay_out(&hostile, counts, hostile_log2, NULL));
	for (uint16_t step = 0; memif_peer_say(&hostile, step, &message, &fd); step++) {
		assert_true(memif_send(hostile_socket, &message, fd));
		message = answer();
		if (message.type != MEMIF_ACK)
			return message;
	}
	fail_msg("no answer to CONNECT");
	return message;
}

static uint16_t connect_hostile(void)
{
	uint16_t port = open_guarded();
	assert_int_equal(lay_out().type, MEMIF_CONNECTED);
	wait_for_link(port, true);
	return port;
}

static void strangers_are_sent_away(void **state)
{
	(void)state;
	uint16_t port = open_guarded();
	say_hello("", 0);
	is_sent_away("secret required");
	say_hello("opener", 0);
	is_sent_away("incorrect secret");
	say_hello("open", 1);
	is_sent_away("no such interface id");
	say_hello("open", 0);
	assert_int_equal(answer().type, MEMIF_ACK);
	int first = hostile_socket;
	say_hello("open", 0);
	is_sent_away("already connected");
	hostile_socket = first;
	assert_true(memif_send(first, &(struct memif_message){.type = MEMIF_INIT}, -1));
	is_sent_away("unexpected message");
	assert_int_equal(lay_out().type, MEMIF_CONNECTED);
	assert_true(memif_send(hostile_socket, &(struct memif_message){.type = MEMIF_CONNECT}, -1));
	is_sent_away("unexpected message");
	expect(ws_port_delete(port));
}

/* An invalid descriptor is a packet lost and counted; the next one arrives. */
static void descriptors_are_checked(void **state)
{
	(void)state;
	uint16_t port = connect_hostile();
	struct memif_ring *ring = memif_peer_ring(&hostile, MEMIF_S2M, 0);
	const uint32_t size = (uint32_t)hostile.regions[0].size;
	const struct memif_descriptor good = ring->descriptors[0];
	const struct memif_descriptor bad[] = {
		{.region = 1, .length = 60, .offset = good.offset},
		{.region = UINT16_MAX, .length = 60},
		{.length = 60, .offset = size - 59},
		{.length = 60, .offset = UINT32_MAX},
		{.length = UINT32_MAX, .offset = UINT32_MAX},
		{.length = 20000},
		{.length = 0, .offset = good.offset},
	};
	struct ws_port_counters counters;
	struct rte_mbuf *received[8];
	uint16_t head = 0;
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		ring->descriptors[head++ % 16] = bad[i];
		ring->descriptors[head % 16] = good;
		ring->descriptors[head++ % 16].length = 60;
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
		assert_int_equal(port_receive(port, 0, received, 8), 1);
		assert_int_equal(received[0]->pkt_len, 60);
		rte_pktmbuf_free(received[0]);
		assert_int_equal(ring->tail, head);
	}
	/* Exactly the last bytes of the region. */
	ring->descriptors[head++ % 16] = (struct memif_descriptor){.length = 60, .offset = size - 60};
	/* A chain without an end, then nothing more. */
	ring->descriptors[head % 16] = good;
	ring->descriptors[head++ % 16].flags = MEMIF_DESCRIPTOR_NEXT;
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	assert_int_equal(port_receive(port, 0, received, 8), 1);
	rte_pktmbuf_free(received[0]);
	expect(ws_port_counters(port, &counters));
	assert_int_equal(counters.rx_errors, RTE_DIM(bad) + 1);
	assert_int_equal(counters.rx_packets, RTE_DIM(bad) + 1);
	assert_int_equal(buffers_at_large(), 0);
	hang_up();
	expect(ws_port_delete(port));
}

/* Send `n` packets of 60 bytes, all of which the server receives. */
static void take_from_hostile(uint16_t port, struct memif_ring *ring, uint16_t n)
{
	struct rte_mbuf *received[256];
	for (uint16_t i = 0; i < n; i++)
		ring->descriptors[(uint16_t)(ring->head + i) % (1u << hostile_log2)].length = 60;
	__atomic_store_n(&ring->head, (uint16_t)(ring->head + n), __ATOMIC_RELEASE);
	assert_int_equal(port_receive(port, 0, received, 256), n);
	rte_pktmbuf_free_bulk(received, n);
}

/* A server returns the slots of a large ring after a quarter of it. It returns fewer after some
 * empty polls, and all before its worker may sleep. */
static void slots_are_offered_back_together(void **state)
{
	enum { LARGE_LOG2 = 10, A_QUARTER = 256, LOOKS = 64 };
	struct rte_mbuf *none;
	(void)state;
	hostile_log2 = LARGE_LOG2;
	uint16_t port = connect_hostile();
	struct memif_ring *ring = memif_peer_ring(&hostile, MEMIF_S2M, 0);
	take_from_hostile(port, ring, 100);
	assert_int_equal(ring->tail, 0);
	take_from_hostile(port, ring, 155);
	assert_int_equal(ring->tail, 0);
	take_from_hostile(port, ring, 1);
	assert_int_equal(ring->tail, A_QUARTER);
	take_from_hostile(port, ring, 7);
	for (int look = 1; look < LOOKS; look++)
		assert_int_equal(port_receive(port, 0, &none, 1), 0);
	assert_int_equal(ring->tail, A_QUARTER);
	assert_int_equal(port_receive(port, 0, &none, 1), 0);
	assert_int_equal(ring->tail, ring->head);
	take_from_hostile(port, ring, 7);
	assert_int_equal(ring->tail, ring->head - 7);
	port_arm(port, 0, true);
	assert_int_equal(ring->tail, ring->head);
	take_from_hostile(port, ring, 7);
	assert_int_equal(ring->tail, ring->head);
	hang_up();
	expect(ws_port_delete(port));
	hostile_log2 = HOSTILE_LOG2;
}

/* A server with too few known free slots reads its peer's index. */
static void a_packet_over_more_slots_than_are_known_goes_at_once(void **state)
{
	(void)state;
	uint16_t port = connect_hostile();
	struct memif_ring *ring = memif_peer_ring(&hostile, MEMIF_M2S, 0);
	struct rte_mbuf *packet = make(60, UINT16_MAX), *longer = make(3 * MEMIF_BUFFER, UINT16_MAX);
	__atomic_store_n(&ring->head, 2, __ATOMIC_RELEASE);
	assert_int_equal(port_transmit(port, 0, &packet, 1), 1);
	__atomic_store_n(&ring->head, 4, __ATOMIC_RELEASE);
	assert_int_equal(port_transmit(port, 0, &longer, 1), 1);
	assert_int_equal(ring->tail, 4);
	assert_int_equal(buffers_at_large(), 0);
	hang_up();
	expect(ws_port_delete(port));
}

/* An index that jumps ends the connection. */
static void indices_are_checked(void **state)
{
	(void)state;
	for (int direction = 0; direction < MEMIF_DIRECTIONS; direction++) {
		uint16_t port = connect_hostile();
		struct rte_mbuf *packet = make(60, UINT16_MAX);
		memif_peer_ring(&hostile, direction, 0)->head = (1 << HOSTILE_LOG2) + 1;
		if (direction == MEMIF_S2M) {
			struct rte_mbuf *received[8];
			assert_int_equal(port_receive(port, 0, received, 8), 0);
		} else {
			assert_int_equal(port_transmit(port, 0, &packet, 1), 0);
		}
		wait_for_link(port, false);
		is_sent_away("ring or buffer out of range");
		rte_pktmbuf_free(packet);
		expect(ws_port_delete(port));
	}
}

/* Invalid buffers to fill: in no region, or of no length. */
static void offered_buffers_are_checked(void **state)
{
	(void)state;
	const struct memif_descriptor bad[] = {
		{.region = 1, .length = 2048},
		{.length = 2048, .offset = UINT32_MAX},
		{.length = 0},
	};
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		uint16_t port = connect_hostile();
		struct memif_ring *ring = memif_peer_ring(&hostile, MEMIF_M2S, 0);
		struct rte_mbuf *packets[2] = {make(60, UINT16_MAX), make(60, UINT16_MAX)};
		ring->descriptors[1] = bad[i];
		ring->head = 2;
		uint16_t sent = port_transmit(port, 0, packets, 2);
		assert_in_range(sent, 0, 1);
		rte_pktmbuf_free_bulk(packets + sent, 2 - sent);
		wait_for_link(port, false);
		is_sent_away("ring or buffer out of range");
		expect(ws_port_delete(port));
	}
}

static int sealed_memory(uint64_t size, bool seal)
{
	int fd = memfd_create("hostile", MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	/* Without the seal, and without the possibility to set it. */
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seal ? F_SEAL_SHRINK : F_SEAL_SEAL), 0);
	return fd;
}

static const char *take_region(struct memif_peer *peer, uint16_t index, uint64_t size, int fd)
{
	static const uint16_t most[] = {2, 2};
	struct memif_message message = {.type = MEMIF_ADD_REGION};
	message.add_region = (struct memif_add_region){.index = index, .size = size};
	return memif_peer_take(peer, &message, fd, most);
}

static const char *take_ring(struct memif_peer *peer, struct memif_add_ring ring, int fd)
{
	static const uint16_t most[] = {2, 2};
	struct memif_message message = {.type = MEMIF_ADD_RING};
	message.add_ring = ring;
	return memif_peer_take(peer, &message, fd, most);
}

static void regions_and_rings_are_checked(void **state)
{
	(void)state;
	static struct memif_peer peer;
	int descriptors = count_descriptors();
	assert_string_equal(take_region(&peer, 0, 4096, -1), "missing region fd");
	assert_string_equal(take_region(&peer, 1, 4096, sealed_memory(4096, true)),
						"invalid region index");
	assert_string_equal(take_region(&peer, 0, 4096, sealed_memory(4095, true)),
						"region is shorter than said");
	assert_string_equal(take_region(&peer, 0, 4096, sealed_memory(4096, false)),
						"region is not sealed against shrinking");
	assert_string_equal(take_region(&peer, 0, 0, sealed_memory(4096, true)),
						"region of no possible size");
	assert_string_equal(take_region(&peer, 0, UINT64_MAX, sealed_memory(4096, true)),
						"region of no possible size");
	assert_null(take_region(&peer, 0, 4096, sealed_memory(4096, true)));
	assert_string_equal(take_ring(&peer, (struct memif_add_ring){0}, -1), "missing interrupt fd");
	assert_string_equal(take_ring(&peer, (struct memif_add_ring){.index = 2}, eventfd(0, 0)),
						"invalid ring index");
	assert_string_equal(take_ring(&peer, (struct memif_add_ring){.index = 1}, eventfd(0, 0)),
						"invalid ring index");
	assert_string_equal(take_ring(&peer, (struct memif_add_ring){.log2_slots = 16}, eventfd(0, 0)),
						"invalid ring size");
	struct memif_add_ring ring = {.log2_slots = 4};
	assert_null(take_ring(&peer, ring, eventfd(0, 0)));
	assert_string_equal(memif_peer_check(&peer), "wrong cookie");
	memif_peer_ring(&peer, MEMIF_M2S, 0)->cookie = MEMIF_COOKIE;
	assert_null(memif_peer_check(&peer));
	ring.index = 1;
	ring.offset = 4096 - 128 - 16 * 16 + 16;
	assert_null(take_ring(&peer, ring, eventfd(0, 0)));
	assert_string_equal(memif_peer_check(&peer), "ring outside its region");
	peer.rings[MEMIF_M2S][1].offset = UINT32_MAX - 15;
	assert_string_equal(memif_peer_check(&peer), "ring outside its region");
	peer.rings[MEMIF_M2S][1].offset = 8;
	assert_string_equal(memif_peer_check(&peer), "ring outside its region");
	peer.rings[MEMIF_M2S][1].region = 1;
	assert_string_equal(memif_peer_check(&peer), "ring in no region");
	memif_peer_free(&peer);
	assert_int_equal(count_descriptors(), descriptors);
}

/* ---- The rig ---- */

static int open_rig(void **state)
{
	(void)state;
	if (memif_rig_open("memif", "", QUEUES, 1500))
		return -1;
	memif_rig_wait();
	return 0;
}

static int close_rig(void **state)
{
	(void)state;
	ws_runtime_close();
	int left = access(path, F_OK);
	rmdir(directory);
	return left ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_arrives_whole),
		cmocka_unit_test(chains_arrive_whole),
		cmocka_unit_test(a_full_ring_takes_what_fits),
		cmocka_unit_test(bursts_go_round),
		cmocka_unit_test(links_come_back),
		cmocka_unit_test(without_a_peer_nothing_is_taken),
		cmocka_unit_test(nothing_is_left_of_the_deleted),
		cmocka_unit_test(a_server_tells_ids_apart),
		cmocka_unit_test(wrong_words_are_refused),
		cmocka_unit_test(strangers_are_sent_away),
		cmocka_unit_test(descriptors_are_checked),
		cmocka_unit_test(slots_are_offered_back_together),
		cmocka_unit_test(a_packet_over_more_slots_than_are_known_goes_at_once),
		cmocka_unit_test(indices_are_checked),
		cmocka_unit_test(offered_buffers_are_checked),
		cmocka_unit_test(regions_and_rings_are_checked),
	};
	return cmocka_run_group_tests(tests, open_rig, close_rig);
}
