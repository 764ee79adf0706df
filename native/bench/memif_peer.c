/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generator and sink on one CPU over two memifs by DPDK's net_memif, as client: a load that shares
 * neither driver nor packet code with what it loads.
 *
 *     memif_peer EAL-OPTIONS -- [-t SECONDS] [-b BURST] [-m MAC] [-M MAC] [-S COUNT] [-N PACKETS]
 *
 * Sends 64-byte packets on port 0 as fast as the ring takes them, from 16.0.0.1 to 48.0.0.1 or to
 * one of COUNT addresses from there on (-S), PACKETS different ones (-N) in bursts of BURST (-b).
 * The packets go to MAC (-m, of port 0). -M is accepted: port 1 only receives. Each quarter second
 * it prints
 *
 *     mono CLOCK_MONOTONIC tx0 MPPS tx1 MPPS rx0 MPPS rx1 MPPS Mpps full SHARE
 *
 * where SHARE is of the bursts that found fewer free slots than they have packets.
 */
#include "wire/ethernet.h"
#include "wire/ip4.h"
#include "wire/splitmix.h"
#include "wire/udp.h"

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	PORTS = 2,
	MOST_PACKETS = 16384,
	MOST_BURST = 256,
	FRAME = 60,
	BUFFERS = 32767,
	CACHE = 256
};
enum { LINK_TRIES = 100, LINK_PAUSE_US = 100000, LINES_PER_SECOND = 4 };

struct options {
	double seconds;
	uint16_t burst;
	uint32_t destinations, packets;
	struct rte_ether_addr to;
};

struct counts {
	uint64_t sent, received[PORTS], bursts, full;
};

static volatile sig_atomic_t is_over;
static struct rte_mbuf *packets[MOST_PACKETS];

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static bool parse(int argc, char **argv, struct options *options)
{
	*options = (struct options){.seconds = 10, .burst = 64, .destinations = 1, .packets = 512};
	for (int option; (option = getopt(argc, argv, "t:b:m:M:S:N:")) != -1;)
		switch (option) {
		case 't':
			options->seconds = atof(optarg);
			break;
		case 'b':
			options->burst = (uint16_t)atoi(optarg);
			break;
		case 'm':
			if (rte_ether_unformat_addr(optarg, &options->to))
				return false;
			break;
		case 'M':
			break;
		case 'S':
			options->destinations = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'N':
			options->packets = (uint32_t)atoi(optarg);
			break;
		default:
			return false;
		}
	return options->burst >= 1 && options->burst <= MOST_BURST && options->destinations &&
		   options->packets >= options->burst && options->packets <= MOST_PACKETS;
}

static bool open_ports(struct rte_mempool *pool)
{
	struct rte_eth_conf conf = {0};
	for (uint16_t port = 0; port < (uint16_t)PORTS; port++)
		if (rte_eth_dev_configure(port, 1, 1, &conf) ||
			rte_eth_rx_queue_setup(port, 0, 0, SOCKET_ID_ANY, NULL, pool) ||
			rte_eth_tx_queue_setup(port, 0, 0, SOCKET_ID_ANY, NULL) || rte_eth_dev_start(port))
			return false;
	return true;
}

/* The driver connects when it is asked for the link state. */
static bool wait_for_links(void)
{
	for (int tries = 0; tries < LINK_TRIES && !is_over; tries++) {
		struct rte_eth_link link;
		uint16_t up = 0;
		for (uint16_t port = 0; port < (uint16_t)PORTS; port++)
			up += !rte_eth_link_get_nowait(port, &link) && link.link_status == RTE_ETH_LINK_UP;
		if (up == PORTS)
			return true;
		rte_delay_us_sleep(LINK_PAUSE_US);
	}
	return false;
}

static struct rte_mbuf *make_packet(struct rte_mempool *pool, const struct options *options,
									uint64_t *row)
{
	struct rte_mbuf *packet = rte_pktmbuf_alloc(pool);
	if (!packet)
		return NULL;
	uint8_t *frame = (uint8_t *)rte_pktmbuf_append(packet, FRAME);
	struct ip4_header *ip = (void *)(frame + ETHERNET_LEN);
	struct udp_header *udp = (void *)(ip + 1);
	struct rte_ether_addr from;
	uint32_t offset = options->destinations > 1
						  ? (uint32_t)(splitmix_draw(row) >> 32) % options->destinations
						  : 0;
	memset(frame, 0, FRAME);
	rte_eth_macaddr_get(0, &from);
	ethernet_write(frame, options->to.addr_bytes, from.addr_bytes, ETHERNET_IP4);
	*ip = (struct ip4_header){
		.version_ihl = 0x45,
		.total_length = htobe16(FRAME - ETHERNET_LEN),
		.ttl = 64,
		.protocol = IP4_UDP,
		.source = htobe32(16u << 24 | 1),
		.destination = htobe32((48u << 24 | 1) + offset),
	};
	ip4_set_checksum(ip);
	*udp = (struct udp_header){
		.source = htobe16(1025),
		.destination = htobe16(12),
		.length = htobe16(FRAME - ETHERNET_LEN - IP4_LEN),
	};
	return packet;
}

/* The driver copies and frees: a second reference keeps the packet. */
static void send_burst(struct rte_mbuf **burst, uint16_t n, struct counts *counts)
{
	for (uint16_t i = 0; i < n; i++)
		rte_mbuf_refcnt_set(burst[i], 2);
	uint16_t taken = rte_eth_tx_burst(0, 0, burst, n);
	counts->sent += taken;
	counts->bursts++;
	counts->full += taken < n;
}

static void receive_bursts(uint16_t n, struct counts *counts)
{
	struct rte_mbuf *burst[MOST_BURST];
	for (uint16_t port = 0; port < (uint16_t)PORTS; port++) {
		uint16_t came = rte_eth_rx_burst(port, 0, burst, n);
		counts->received[port] += came;
		rte_pktmbuf_free_bulk(burst, came);
	}
}

static void print_line(const struct counts *now, const struct counts *before, double seconds)
{
	struct timespec clock;
	uint64_t bursts = now->bursts - before->bursts;
	double scale = 1e-6 / seconds;
	clock_gettime(CLOCK_MONOTONIC, &clock);
	printf("mono %.3f tx0 %.3f tx1 0.000 rx0 %.3f rx1 %.3f Mpps full %.3f\n",
		   (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec,
		   (double)(now->sent - before->sent) * scale,
		   (double)(now->received[0] - before->received[0]) * scale,
		   (double)(now->received[1] - before->received[1]) * scale,
		   bursts ? (double)(now->full - before->full) / (double)bursts : 0);
	fflush(stdout);
}

static void run(const struct options *options)
{
	const uint64_t hz = rte_get_tsc_hz(), quarter = hz / LINES_PER_SECOND;
	struct counts now = {0}, before = {0};
	uint64_t last = rte_rdtsc(), last_line = last + (uint64_t)(options->seconds * (double)hz);
	for (uint32_t next = 0; !is_over && last < last_line;) {
		if (next + options->burst > options->packets)
			next = 0;
		send_burst(packets + next, options->burst, &now);
		next += options->burst;
		receive_bursts(options->burst, &now);
		uint64_t tsc = rte_rdtsc();
		if (tsc - last < quarter)
			continue;
		print_line(&now, &before, (double)(tsc - last) / (double)hz);
		last = tsc;
		before = now;
	}
}

int main(int argc, char **argv)
{
	struct options options;
	uint64_t row = 1;
	int eal = rte_eal_init(argc, argv);
	if (eal < 0 || !parse(argc - eal, argv + eal, &options)) {
		fprintf(stderr, "memif_peer: bad arguments; the head of memif_peer.c lists them\n");
		return 2;
	}
	signal(SIGINT, end);
	signal(SIGTERM, end);
	struct rte_mempool *pool = rte_pktmbuf_pool_create("peer", BUFFERS, CACHE, 0,
													   RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	if (!pool || !open_ports(pool)) {
		fprintf(stderr, "memif_peer: no memory, or not two ports\n");
		return 1;
	}
	for (uint32_t i = 0; i < options.packets; i++)
		if (!(packets[i] = make_packet(pool, &options, &row)))
			return 1;
	if (!wait_for_links()) {
		fprintf(stderr, "memif_peer: no link within 10 s\n");
		return 1;
	}
	run(&options);
	for (uint16_t port = 0; port < (uint16_t)PORTS; port++)
		(void)rte_eth_dev_stop(port);
	return rte_eal_cleanup() ? 1 : 0;
}
