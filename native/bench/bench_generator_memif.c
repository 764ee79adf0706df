/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet costs the generator to send over memif to a second process that drops it.
 *
 *     bench_generator_memif [PASSES]
 *
 * On a machine that is shared, two CPUs rarely have a quarter of a second for themselves, and are
 * not always near each other. So this looks at single milliseconds, of all kinds of stream in turn,
 * and compares the best twentieth of each. Both processes run at real-time priority where they may.
 */
#include "bench/bench_setup.h"
#include "bench/generator_loads.h"
#include "dev/port.h"
#include "generator/generator.h"

#include <rte_cycles.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROWS = 12, MAX_SLICES = 20000, SLICES_A_PASS = 20, BURSTS_AT_ONCE = 16, RX_BURST = 64 };

static const double BEST = 0.05;

static struct row {
	char name[64];
	double ticks[MAX_SLICES];
	int count;
	int base; /* the row that it is compared to */
} rows[MAX_ROWS];
static int row, base; /* the next one of this pass */
static struct ws_generator *generator;
static char socket_path[64];

/* A millisecond's worth. */
static double ticks_a_packet(void)
{
	uint64_t sent = 0, start = rte_rdtsc(), end = start + rte_get_tsc_hz() / 1000, now;
	do {
		for (int i = 0; i < BURSTS_AT_ONCE; i++)
			sent += generator_transmit(&generator->ports[0]);
		now = rte_rdtsc();
	} while (now < end);
	return (double)(now - start) / (double)(sent ? sent : 1);
}

static void measure(const char *name, const struct ws_stream *streams, uint32_t count)
{
	struct row *found = &rows[row++];
	snprintf(found->name, sizeof(found->name), "%s", name);
	found->base = base;
	bench_expect(ws_generator_start(generator, 0, 0, streams, count, 1, -1, 0));
	for (int i = 0; i < SLICES_A_PASS && found->count < MAX_SLICES; i++)
		found->ticks[found->count++] = ticks_a_packet();
	ws_generator_stop_port(generator, 0);
}

/* Without the right to it, figures are the noisier. */
static void hurry(void)
{
	struct sched_param priority = {.sched_priority = 1};
	(void)sched_setscheduler(0, SCHED_FIFO, &priority);
}

static void open_wire(const char *role, uint16_t cpu)
{
	struct ws_port_config port = {
		.name = "wire",
		.rx_queues = 1,
		.tx_queues = 1,
		.rx_descriptors = 2048,
		.tx_descriptors = 2048,
		.mtu = 1500,
	};
	snprintf(port.devargs, sizeof(port.devargs),
			 "net_memif0,role=%s,id=0,socket=%s,socket-abstract=no,rsize=11", role, socket_path);
	bench_start_on(0, 128, cpu);
	bench_expect(ws_ports_open(&port, 1));
}

static void drop_all(uint16_t cpu)
{
	struct rte_mbuf *packets[RX_BURST];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_wire("server", cpu);
	hurry();
	for (;;) {
		uint16_t n = port_receive(0, 0, packets, RX_BURST);
		if (n)
			rte_pktmbuf_free_bulk(packets, n);
	}
}

static void wait_for_sink(pid_t sink)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	while (access(socket_path, F_OK)) {
		if (waitpid(sink, NULL, WNOHANG))
			exit(1);
		nanosleep(&moment, NULL);
	}
}

static void wait_for_link(void)
{
	struct ws_port_info info = {0};
	const struct timespec moment = {.tv_nsec = 20000000};
	while (!info.link_up) {
		bench_expect(ws_port_info(0, &info));
		nanosleep(&moment, NULL);
	}
}

int main(int argc, char **argv)
{
	int passes = argc > 1 ? atoi(argv[1]) : 60;
	uint16_t cpus[2] = {0};
	bench_last_cpus(cpus, 2);
	snprintf(socket_path, sizeof(socket_path), "/tmp/bench-%d.sock", getpid());
	pid_t sink = fork();
	if (!sink)
		drop_all(cpus[1]);
	wait_for_sink(sink);
	open_wire("client", cpus[0]);
	wait_for_link();
	generator = ws_generator_create();
	bench_expect(generator ? 0 : -1);

	hurry();
	for (int pass = 0; pass < passes; pass++) {
		row = base = 0;
		loads_64b(measure);
		base = row;
		loads_imix(measure);
	}
	kill(sink, SIGKILL);
	waitpid(sink, NULL, 0);
	unlink(socket_path);
	double best[MAX_ROWS];
	for (int i = 0; i < row; i++) {
		const struct row *to = &rows[rows[i].base];
		best[i] = bench_quantile(rows[i].ticks, rows[i].count, BEST);
		printf("%-32s %6.1f ticks a packet, %4.2f of the rate of %s\n", rows[i].name, best[i],
			   best[rows[i].base] / best[i], to->name);
	}
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
