/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/router_rig.h"
#include "wirespeed/ports.h"

#include "dev/pool.h"
#include "dev/port.h"
#include "tests/heap_packet.h"
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/udp.h"
#include "wirespeed/interfaces.h"
#include "wirespeed/router.h"
#include "wirespeed/routes.h"
#include "wirespeed/runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 2 /* port at the test's end of e0 */, MAX_WALKS = 16 };

struct ws_router *rig_router;
const uint8_t rig_mac[2][6] = {{2, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 1}};
const uint8_t rig_host[2][6] = {{2, 0xaa, 0, 0, 0, 2}, {2, 0xbb, 0, 0, 0, 2}};

static void expect(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, ws_error());
	exit(1);
}

static uint16_t first_cpu(void)
{
	cpu_set_t mine;
	uint16_t cpu = 0;
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(cpu, &mine))
		cpu++;
	return cpu;
}

int rig_start(void)
{
	enum { SKIP = 77 };
	const char *march = getenv("MARCH");
	struct ws_runtime_config config = {
		.memory_mb = 256,
		.worker_count = 1,
		.worker_cpus = {first_cpu()},
		.march = march ? atoi(march) : 0,
	};
	snprintf(config.program, sizeof(config.program), "rig");
	int error = ws_runtime_init(&config);
	if (error == -EINVAL && march) {
		printf("skipped: %s\n", ws_error());
		return SKIP;
	}
	expect(error, "runtime");
	struct ws_port_config ports[4] = {0};
	for (int i = 0; i < 4; i++) {
		snprintf(ports[i].name, sizeof(ports[i].name), "%s%d", i < FAR ? "e" : "far", i % FAR);
		snprintf(ports[i].devargs, sizeof(ports[i].devargs), "ring:wire%d", i % FAR);
		ports[i].rx_queues = ports[i].tx_queues = 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 1024;
		ports[i].mtu = 1500;
	}
	expect(ws_ports_open(ports, 4), "ports");
	rig_reset();
	return 0;
}

/* Lengthen the router's second as far as the TSC allows: tests set timestamps back by up to 100 s.
 * Deadlines then depend only on the tests, not on the time between two walks. */
static void stretch_seconds(void)
{
	rig_router->tsc_hz = RTE_MAX(rig_router->tsc_hz, graph_tsc() / 128);
	rig_router->workers[0]->glean.tsc_hz = rig_router->tsc_hz;
}

void rig_reset(void)
{
	struct ws_router_config config = {
		.max_ip4_routes = 4096, .max_ip6_routes = 4096, .max_neighbors = 64};
	ws_router_destroy(rig_router);
	rig_router = ws_router_create(&config);
	expect(rig_router ? 0 : -1, "router");
	ws_router_set_flow_hash_seed(rig_router, 0);
	for (uint16_t i = 0; i < 2; i++) {
		expect(ws_router_set_mac(rig_router, i, rig_mac[i]), "mac");
		expect(ws_router_set_state(rig_router, i, true), "state");
		expect(ws_router_address_add(rig_router, i, PREFIX(10, 0, i, 1, 24)), "address");
		rig_router->workers[0]->queues[i] = (struct rx_queue){.port = i};
	}
	rig_router->workers[0]->queue_count = 2;
	stretch_seconds();
}

void rig_stop(void)
{
	ws_router_destroy(rig_router);
	ws_runtime_close();
}

/* ---- Packets in heap blocks ---- */

void rig_walk(void)
{
	/* Until a walk brings nothing in; the rings hold only what these tests put there. */
	struct router_worker *worker = rig_router->workers[0];
	bool is_quiet = false;
	for (int i = 0; i < MAX_WALKS && !is_quiet; i++) {
		is_quiet = !graph_walk(worker->graph);
		if (worker->hold.count)
			hold_look(rig_router, worker, graph_tsc());
		is_quiet &= recirculate_is_empty(&worker->recirculate);
	}
}

static void put_pieces(uint16_t interface, const uint8_t *bytes, size_t length, size_t piece)
{
	struct rte_mbuf *packet = heap_packet(bytes, length, piece, RIG_HEADROOM);
	if (port_transmit(FAR + interface, 0, &packet, 1) != 1)
		abort();
}

void rig_put(uint16_t interface, const uint8_t *bytes, size_t length)
{
	put_pieces(interface, bytes, length, length ? length : 1);
}

void rig_send_pieces(uint16_t interface, const uint8_t *bytes, size_t length, size_t piece)
{
	put_pieces(interface, bytes, length, piece);
	rig_walk();
	ws_router_poll(rig_router);
	rig_walk(); /* requests of the main thread to neighbours */
}

void rig_send(uint16_t interface, const uint8_t *bytes, size_t length)
{
	rig_send_pieces(interface, bytes, length, length ? length : 1);
}

struct frame rig_take(uint16_t interface)
{
	struct frame frame = {0};
	struct rte_mbuf *packet;
	if (!port_receive(FAR + interface, 0, &packet, 1))
		return frame;
	const char *why;
	if (rte_mbuf_check(packet, 1, &why)) {
		fprintf(stderr, "a bad buffer came out: %s\n", why);
		abort();
	}
	frame.length = packet->pkt_len;
	const void *bytes = rte_pktmbuf_read(packet, 0, packet->pkt_len, frame.bytes);
	if (bytes != frame.bytes)
		memcpy(frame.bytes, bytes, frame.length);
	rte_pktmbuf_free(packet);
	return frame;
}

uint32_t rig_buffers_in_use(void)
{
	return rte_mempool_in_use_count(ports_pool());
}

/* ---- Counters ---- */

uint64_t rig_counter(const char *node, const char *reason)
{
	struct ws_node_counter counters[512];
	int n = ws_router_node_counters(rig_router, 0, counters, 512);
	for (int i = 0; i < n; i++)
		if (!strcmp(counters[i].node, node) && !strcmp(counters[i].reason, reason))
			return counters[i].count;
	fprintf(stderr, "node %s has no counter '%s'\n", node, reason);
	exit(1);
}

struct ws_router_totals rig_totals(void)
{
	struct ws_router_totals totals;
	expect(ws_router_totals(rig_router, 0, &totals), "totals");
	return totals;
}

/* ---- Frames ---- */

struct frame frame_udp(uint32_t source, uint32_t destination, size_t payload)
{
	struct frame frame = {.length = ETHERNET_LEN + IP4_LEN + UDP_LEN + payload};
	struct ip4_header *ip = (void *)(frame.bytes + ETHERNET_LEN);
	struct udp_header *udp = (void *)(ip + 1);
	ethernet_write(frame.bytes, rig_mac[0], rig_host[0], ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.ttl = 64,
		.protocol = IP4_UDP,
		.source = htobe32(source),
		.destination = htobe32(destination),
	};
	*udp = (struct udp_header){
		.source = htobe16(1025),
		.destination = htobe16(12),
		.length = htobe16((uint16_t)(UDP_LEN + payload)),
	};
	for (size_t i = 0; i < payload; i++)
		frame.bytes[frame.length - payload + i] = (uint8_t)i;
	frame_finish(&frame);
	return frame;
}

void frame_finish(struct frame *frame)
{
	struct ip4_header *ip = (void *)(frame->bytes + ETHERNET_LEN);
	ip->total_length = htobe16((uint16_t)(frame->length - ETHERNET_LEN));
	ip4_set_checksum(ip);
}
