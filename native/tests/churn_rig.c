/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/churn_rig.h"
#include "wirespeed/ports.h"

#include "dev/pool.h"
#include "dev/port.h"
#include "tests/churn_packets.h"
#include "tests/pool_order.h"
#include "wire/splitmix.h"
#include "wirespeed/router.h"
#include "wirespeed/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PUMPS = 2, BURST = 32, DESCRIPTORS = 256, LINK_PATIENCE_MS = 20000 };

struct pump {
	pthread_t thread;
	uint64_t row;
	uint16_t first, last; /* of the ports that it serves */
	uint64_t taken;
};

static struct pump pumps[PUMPS];
static bool is_over;
static char directory[] = "/tmp/wirespeed-churn-XXXXXX", socket_path[64];

uint32_t churn_draw(uint64_t *row, uint32_t below)
{
	return (uint32_t)(splitmix_draw(row) >> 32) % below;
}

void churn_expect(int64_t result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, ws_error());
	exit(1);
}

/* ---- Ports ---- */

static void name_ports(struct ws_port_config *ports, bool is_router)
{
	for (int i = 0; i < 2 * CHURN_WIRES; i++) {
		snprintf(ports[i].name, WS_NAME_LEN, "%s%d", i < CHURN_FAR ? "e" : "far", i % CHURN_FAR);
		snprintf(ports[i].devargs, WS_DEVARGS_LEN, "ring:churn%d", i % CHURN_FAR);
	}
	snprintf(ports[CHURN_NONE].name, WS_NAME_LEN, "none");
	snprintf(ports[CHURN_NONE].devargs, WS_DEVARGS_LEN, "net_null0,no-rx=1");
	for (int i = CHURN_SHM; i <= CHURN_SHM_FAR; i++) {
		snprintf(ports[i].name, WS_NAME_LEN, "%s", i == CHURN_SHM ? "shm" : "shmfar");
		snprintf(ports[i].devargs, WS_DEVARGS_LEN, "memif:%s,role=%s", socket_path,
				 i == CHURN_SHM ? "server" : "client");
	}
	for (int i = 0; i < CHURN_PORTS; i++) {
		bool has_many = !is_router && i >= CHURN_SHM;
		ports[i].rx_queues = ports[i].tx_queues = has_many ? 2 : 1;
		ports[i].rx_descriptors = ports[i].tx_descriptors = DESCRIPTORS;
		ports[i].mtu = 1500;
	}
}

static void wait_for_link(uint16_t port)
{
	for (int i = 0; !port_link_is_up(port); i++) {
		if (i == LINK_PATIENCE_MS)
			churn_expect(-1, "no link of memif");
		usleep(1000);
	}
}

void churn_open(uint16_t workers, bool is_router)
{
	struct ws_runtime_config config = {
		.memory_mb = 512, .worker_count = workers, .shared_cpus = true};
	struct ws_port_config ports[CHURN_PORTS] = {0};
	cpu_set_t mine;
	sched_getaffinity(0, sizeof(mine), &mine);
	for (uint16_t i = 0, cpu = 0; i < workers; cpu = (cpu + 1) % CPU_SETSIZE)
		if (CPU_ISSET(cpu, &mine))
			config.worker_cpus[i++] = cpu;
	snprintf(config.program, sizeof(config.program), "churn");
	if (!mkdtemp(directory)) {
		perror(directory);
		exit(1);
	}
	snprintf(socket_path, sizeof(socket_path), "%s/wire.sock", directory);
	churn_expect(ws_runtime_init(&config), "runtime");
	pool_order_tell();
	if (is_router)
		ws_pool_configure(ws_router_held_buffers(workers), 0, 0);
	name_ports(ports, is_router);
	churn_expect(ws_ports_open(ports, CHURN_PORTS), "ports");
	wait_for_link(CHURN_SHM);
	wait_for_link(CHURN_SHM_FAR);
}

void churn_close(void)
{
	ws_runtime_close();
	unlink(socket_path);
	rmdir(directory);
}

/* ---- Traffic ---- */

static void send_some(struct pump *pump, uint16_t port)
{
	struct rte_mbuf *packets[BURST];
	uint16_t wire = port == CHURN_SHM_FAR ? CHURN_WIRES : port - CHURN_FAR;
	uint16_t n = (uint16_t)(1 + churn_draw(&pump->row, BURST));
	if (rte_pktmbuf_alloc_bulk(ports_pool(), packets, n))
		return;
	for (uint16_t i = 0; i < n; i++) {
		struct frame frame = churn_packet(&pump->row, wire);
		memcpy(rte_pktmbuf_append(packets[i], (uint16_t)frame.length), frame.bytes, frame.length);
	}
	uint16_t taken = port_transmit(port, 0, packets, n);
	rte_pktmbuf_free_bulk(packets + taken, n - taken);
}

static void take_some(struct pump *pump, uint16_t port)
{
	struct rte_mbuf *packets[BURST];
	uint16_t n;
	do {
		n = port_receive(port, 0, packets, BURST);
		for (uint16_t i = 0; i < n; i++)
			if (rte_pktmbuf_mtod(packets[i], uint8_t *)[0] == UINT8_MAX)
				pump->row++; /* the reader has taken the packets */
		rte_pktmbuf_free_bulk(packets, n);
		__atomic_store_n(&pump->taken, pump->taken + n, __ATOMIC_RELAXED);
	} while (n == BURST);
}

static void *run_pump(void *argument)
{
	struct pump *pump = argument;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		for (uint16_t port = pump->first; port <= pump->last; port++) {
			if (port == CHURN_NONE || port == CHURN_SHM)
				continue;
			send_some(pump, port);
			take_some(pump, port);
		}
		sched_yield();
	}
	return NULL;
}

void churn_traffic_begin(void)
{
	const uint16_t firsts[] = {CHURN_FAR, CHURN_FAR + 2, CHURN_PORTS};
	is_over = false;
	for (uint16_t i = 0; i < PUMPS; i++) {
		pumps[i] = (struct pump){.row = i, .first = firsts[i], .last = firsts[i + 1] - 1};
		churn_expect(-pthread_create(&pumps[i].thread, NULL, run_pump, &pumps[i]), "thread");
	}
}

uint64_t churn_traffic_end(void)
{
	uint64_t taken = 0;
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < PUMPS; i++) {
		pthread_join(pumps[i].thread, NULL);
		taken += pumps[i].taken;
	}
	return taken;
}

void churn_take_rest(void)
{
	struct pump rest = {0};
	for (uint16_t port = CHURN_FAR; port < 2 * CHURN_WIRES; port++)
		take_some(&rest, port);
	take_some(&rest, CHURN_SHM_FAR);
}

void churn_empty(void)
{
	struct pump rest = {0};
	for (uint16_t port = 0; port < CHURN_PORTS; port++)
		if (port != CHURN_NONE)
			take_some(&rest, port);
}

void churn_wait_for_packets(void)
{
	uint64_t first = __atomic_load_n(&pumps[0].taken, __ATOMIC_RELAXED);
	while (__atomic_load_n(&pumps[0].taken, __ATOMIC_RELAXED) < first + BURST)
		usleep(100);
}
