/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of a call through the port layer, compared with DPDK's own: TSC ticks per packet to receive
 * and to send a burst, by its size.
 *
 *     bench_port
 *
 * One net_null device both ways, in turn, a few microseconds each; medians of the samples at the
 * machine's highest speed (samples.h).
 */
#include "bench/bench_setup.h"
#include "bench/samples.h"
#include "dev/port.h"
#include "wirespeed/ports.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>

enum { BY_LAYER, DIRECT, WAYS, LARGEST = 256, SAMPLES = 300, PACKETS_A_SAMPLE = 1 << 12 };

static uint16_t device; /* DPDK's number of port 0 */

static inline uint16_t receive(int way, struct rte_mbuf **packets, uint16_t n)
{
	return way == BY_LAYER ? port_receive(0, 0, packets, n)
						   : rte_eth_rx_burst(device, 0, packets, n);
}

static inline uint16_t transmit(int way, struct rte_mbuf **packets, uint16_t n)
{
	return way == BY_LAYER ? port_transmit(0, 0, packets, n)
						   : rte_eth_tx_burst(device, 0, packets, n);
}

static inline __attribute__((always_inline)) double move(int way, uint16_t burst)
{
	struct rte_mbuf *packets[LARGEST];
	uint64_t start = rte_rdtsc();
	for (uint32_t done = 0; done < PACKETS_A_SAMPLE; done += burst)
		if (transmit(way, packets, receive(way, packets, burst)) != burst) {
			fprintf(stderr, "net_null gave or took less than a burst\n");
			exit(1);
		}
	return (double)(rte_rdtsc() - start) / PACKETS_A_SAMPLE;
}

static void measure(struct samples *samples, int way, uint16_t burst)
{
	double ticks = way == BY_LAYER ? move(BY_LAYER, burst) : move(DIRECT, burst); /* warm */
	samples_begin(samples);
	ticks = way == BY_LAYER ? move(BY_LAYER, burst) : move(DIRECT, burst);
	samples_end(samples, &ticks);
}

int main(void)
{
	static const uint16_t bursts[] = {1, 4, 32, LARGEST};
	enum { BURSTS = sizeof(bursts) / sizeof(bursts[0]) };
	struct samples *samples[BURSTS][WAYS];
	struct ws_port_config port = {
		.name = "p0",
		.devargs = "net_null0",
		.rx_queues = 1,
		.tx_queues = 1,
		.rx_descriptors = 1024,
		.tx_descriptors = 1024,
		.mtu = 1500,
	};
	bench_start(0, 128);
	bench_expect(ws_ports_open(&port, 1));
	bench_expect(rte_eth_dev_get_port_by_name("net_null0", &device));
	for (int b = 0; b < BURSTS; b++)
		for (int way = 0; way < WAYS; way++)
			samples[b][way] = samples_make(1);
	for (int i = 0; i < SAMPLES; i++)
		for (int b = 0; b < BURSTS; b++)
			for (int way = 0; way < WAYS; way++)
				measure(samples[b][(way + i) % WAYS], (way + i) % WAYS, bursts[b]);
	samples_show_machine();
	printf("%5s %9s %9s %11s %8s   ticks per packet, received and sent\n", "burst", "by layer",
		   "direct", "difference", "samples");
	for (int b = 0; b < BURSTS; b++) {
		double layer = samples_median(samples[b][BY_LAYER], 0);
		double direct = samples_median(samples[b][DIRECT], 0);
		uint32_t fast =
			RTE_MIN(samples_fast(samples[b][BY_LAYER]), samples_fast(samples[b][DIRECT]));
		printf("%5u %9.2f %9.2f %11.2f %8u\n", bursts[b], layer, direct, layer - direct, fast);
	}
	ws_runtime_close();
	return 0;
}
