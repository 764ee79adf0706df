/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hostile client of a memif server: arbitrary messages, then arbitrary rings, descriptors and
 * indices, during bursts in both directions. The input: up to 8 messages of 16 bytes each (type,
 * then the body), ended by a 0 byte; then pairs of an offset in the shared memory and a value to
 * write there, with a burst after each. For every input, no byte outside of the regions is accessed
 * and no buffer is lost.
 */
#include "dev/memif/attach.h"
#include "dev/pool.h"
#include "dev/port.h"
#include "fuzz/fuzz.h"
#include "wirespeed/runtime.h"

#include <rte_mbuf.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MESSAGES = 8, BODY = 16, REGION = 8192, PACKETS = 32, MAX_WRITES = 64 };

static struct memif_port port;
static struct memif_peer peer;
static struct port_path path;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ws_runtime_config config = {.program = "fuzz_memif", .memory_mb = 64, .worker_count = 1};
	struct ws_port_config null = {
		.name = "null", .devargs = "ring:fuzz", .rx_queues = 1, .tx_queues = 1, .mtu = 1500};
	cpu_set_t mine;
	(void)argc, (void)argv;
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(config.worker_cpus[0], &mine))
		config.worker_cpus[0]++;
	FUZZ_ASSERT(!ws_runtime_init(&config) && !ws_ports_open(&null, 1));
	port.role = MEMIF_SERVER;
	memif_choose(MEMIF_SERVER, &path);
	port.rx_count = port.tx_count = 1;
	port.rx[0].pool = ports_pool();
	port.rx[0].epoll = epoll_create1(0);
	return 0;
}

/* Descriptor for a message: sealed memory of one size, or an event. */
static int descriptor_for(uint16_t type)
{
	if (type == MEMIF_ADD_RING)
		return eventfd(0, EFD_NONBLOCK);
	if (type != MEMIF_ADD_REGION)
		return -1;
	int fd = memfd_create("fuzz", MFD_ALLOW_SEALING);
	FUZZ_ASSERT(fd >= 0 && !ftruncate(fd, REGION));
	return fd;
}

/* Returns the number of bytes used. */
static size_t say(const uint8_t *data, size_t size)
{
	static const uint16_t most[] = {1, 1};
	size_t at = 0;
	for (int i = 0; i < MESSAGES && at < size && data[at]; i++) {
		struct memif_message message = {.type = data[at++]};
		size_t length = RTE_MIN((size_t)BODY, size - at);
		memcpy(message.bytes, data + at, length);
		at += length;
		memif_peer_take(&peer, &message, descriptor_for(message.type), most);
	}
	return at + 1;
}

/* Set the cookies, so that inputs need not find them. */
static void bless_rings(void)
{
	for (int d = 0; d < MEMIF_DIRECTIONS; d++)
		for (uint16_t i = 0; i < peer.ring_counts[d]; i++) {
			const struct memif_peer_ring *ring = &peer.rings[d][i];
			if (ring->region < peer.region_count && ring->offset % 16 == 0 &&
				ring->offset + sizeof(struct memif_ring) <= peer.regions[ring->region].size)
				memif_peer_ring(&peer, d, i)->cookie = MEMIF_COOKIE;
		}
}

static void burst(void)
{
	struct rte_mbuf *packets[PACKETS];
	uint16_t n = path.receive(&port.rx[0], packets, PACKETS);
	for (uint16_t i = 0; i < n; i++) {
		uint32_t sum = 0;
		for (const struct rte_mbuf *piece = packets[i]; piece; piece = piece->next)
			sum += piece->data_len;
		FUZZ_ASSERT(sum && sum == packets[i]->pkt_len && sum <= MEMIF_LONGEST);
	}
	uint16_t sent = path.transmit(&port.tx[0], packets, n);
	FUZZ_ASSERT(sent <= n);
	rte_pktmbuf_free_bulk(packets + sent, n - sent);
	FUZZ_ASSERT(!rte_mempool_in_use_count(ports_pool()));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = say(data, size);
	bless_rings();
	if (!memif_peer_check(&peer) && peer.region_count) {
		memif_attach(&port, &peer);
		for (int i = 0; i < MAX_WRITES && at + 4 <= size; i++, at += 4) {
			uint16_t place = (uint16_t)(data[at] | data[at + 1] << 8) % (REGION - 1);
			if (place + 2u <= peer.regions[0].size)
				memcpy(peer.regions[0].base + place, data + at + 2, 2);
			burst();
		}
		memif_detach(&port);
	}
	memif_peer_free(&peer);
	return 0;
}
