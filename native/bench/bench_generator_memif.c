/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of sending a packet with the generator over memif to a second process that drops it, and of
 * receiving it if that process sends it back on a second memif, like testpmd io: by wirespeed's
 * driver without and with copies, and by DPDK's. Flow sets are received back, too.
 *
 *     bench_generator_memif [PASSES]
 *
 * On a shared machine two CPUs are rarely undisturbed for a quarter of a second, and not always
 * near each other. So single milliseconds are measured, of all kinds of stream in turn, and the
 * best twentieth of each is compared. Both processes run at real-time priority where they may.
 */
#include "bench/bench_setup.h"
#include "bench/generator_loads.h"
#include "dev/port.h"
#include "generator/control/generator.h"
#include "generator/receive/receive.h"
#include "generator/traffic/transmit.h"
#include "wirespeed/flow_sets.h"
#include "wirespeed/ports.h"

#include <rte_cycles.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ROWS = 16, MAX_SLICES = 20000, SLICES_A_PASS = 20, BURSTS_AT_ONCE = 16, RX_BURST = 64 };
enum { OPENINGS = 20 };
enum { LENT, COPIED, DPDKS, DRIVERS, WIRES = 2 * DRIVERS, RING_LOG2 = 12 };

static const double BEST = 0.05;

static const char *const names[DRIVERS] = {"lent", "copied", "net_memif"};
static struct row {
	char name[64];
	double ticks[MAX_SLICES];
	int count;
	int base; /* row to compare with */
} rows[DRIVERS][MAX_ROWS];
static int row, base; /* the next row of this pass */
static int driver;
static struct ws_generator *generator;
static char directory[] = "/tmp/bench-XXXXXX";
static volatile struct far_end {
	bool sends_back;
	int driver; /* driver of the inspected ports */
} * far_end;

/* Ticks per packet in a millisecond: of packets sent, or of those that came back. */
static double ticks_a_packet(void)
{
	uint64_t sent = 0, received = 0, start = rte_rdtsc(), end = start + rte_get_tsc_hz() / 1000;
	uint64_t now;
	do {
		for (int i = 0; i < BURSTS_AT_ONCE; i++) {
			if (far_end->sends_back)
				received += generator_receive(generator->ports[2 * driver + 1].shares);
			sent += generator_transmit(generator->ports[2 * driver].shares);
		}
		now = rte_rdtsc();
	} while (now < end);
	uint64_t packets = far_end->sends_back ? received : sent;
	return (double)(now - start) / (double)(packets ? packets : 1);
}

static void measure(const char *name, const struct ws_stream *streams, uint32_t count)
{
	struct row *found = &rows[driver][row++];
	uint16_t port = (uint16_t)(2 * driver);
	snprintf(found->name, sizeof(found->name), "%s", name);
	found->base = base;
	bench_expect(ws_generator_start(generator, port, 0, streams, count, 1, -1, 0, UINT64_MAX));
	for (int i = 0; i < SLICES_A_PASS && found->count < MAX_SLICES; i++)
		found->ticks[found->count++] = ticks_a_packet();
	ws_generator_stop_port(generator, port);
}

static void measure_both_ways(const char *name, const struct ws_stream *streams, uint32_t count)
{
	char title[64];
	if (streams->op_count && strcmp(name, STATELESS) != 0)
		return;
	snprintf(title, sizeof(title), "%s, and received back", name);
	far_end->sends_back = true;
	measure(title, streams, count);
	far_end->sends_back = false;
}

/* Until all packets have come back, or none for half a second: the far end loses what its ring has
 * no room for. */
static void pass_all(const char *name, const struct ws_stream *streams, uint32_t count)
{
	uint16_t port = (uint16_t)(2 * driver);
	struct generator_port *sender = generator->ports[port].shares;
	struct generator_port *receiver = generator->ports[port + 1].shares;
	uint64_t received = 0, last = rte_rdtsc(), patience = rte_get_tsc_hz() / 2;
	(void)name;
	bench_expect(ws_generator_start(generator, port, 0, streams, count, 1, -1, 0, UINT64_MAX));
	while (received < streams->packets && rte_rdtsc() - last < patience) {
		uint32_t came = generator_receive(receiver);
		if (generator_transmit(sender) + came)
			last = rte_rdtsc();
		received += came;
	}
	ws_generator_stop_port(generator, port);
}

/* The set is closed again: while it is open, frames of other streams are read as well. */
static void measure_flow_set(uint32_t flows)
{
	uint16_t port = (uint16_t)(2 * driver);
	struct ws_flow_set set = flow_set_of(flows, false);
	char title[64];
	snprintf(title, sizeof(title), "64b, %u flows, and received back", flows);
	far_end->sends_back = true;
	bench_expect(ws_flow_set_open(generator, port, port + 1, &set));
	int openings = 0;
	do { /* again if the far end had no CPU meanwhile */
		if (openings++ == OPENINGS) {
			fprintf(stderr, "%s: the far end lost flows in each of %d openings\n", title, OPENINGS);
			exit(1);
		}
		bench_expect(ws_flow_set_begin(generator, port, WS_PHASE_LEARN, 0));
		load_flow_set(pass_all, title, WS_FLOW_EACH, flows);
		bench_expect(ws_flow_set_end(generator, port));
	} while (ws_flow_set_begin(generator, port, WS_PHASE_EXCHANGE, 0));
	load_flow_set(measure, title, WS_FLOW_RANDOM, 0);
	ws_flow_set_close(generator, port);
	far_end->sends_back = false;
}

/* Without the permission, results are noisier. */
static void hurry(void)
{
	struct sched_param priority = {.sched_priority = 1};
	(void)sched_setscheduler(0, SCHED_FIFO, &priority);
}

static void wire_path(int wire, char *path, size_t size)
{
	snprintf(path, size, "%s/w%d.sock", directory, wire);
}

static void open_wires(const char *role, uint16_t cpu)
{
	struct ws_port_config ports[WIRES];
	char path[64];
	for (int i = 0; i < WIRES; i++) {
		ports[i] = (struct ws_port_config){
			.rx_queues = 1,
			.tx_queues = 1,
			.rx_descriptors = 1 << RING_LOG2,
			.tx_descriptors = 1 << RING_LOG2,
			.mtu = 1500,
		};
		wire_path(i, path, sizeof(path));
		snprintf(ports[i].name, sizeof(ports[i].name), "wire%d", i);
		if (i / 2 == DPDKS)
			snprintf(ports[i].devargs, sizeof(ports[i].devargs),
					 "net_memif%d,role=%s,socket=%s,socket-abstract=no,rsize=%d", i, role, path,
					 RING_LOG2);
		else
			snprintf(ports[i].devargs, sizeof(ports[i].devargs), "memif:%s,role=%s,zero-copy=%s",
					 path, role, i / 2 == LENT ? "yes" : "no");
	}
	bench_start_on(0, 256, cpu);
	bench_expect(ws_ports_open(ports, WIRES));
}

static void be_far_end(uint16_t cpu)
{
	struct rte_mbuf *packets[RX_BURST];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_wires("server", cpu);
	hurry();
	for (;;) {
		uint16_t wire = (uint16_t)(2 * far_end->driver);
		uint16_t n = port_receive(wire, 0, packets, RX_BURST);
		uint16_t gone =
			n && far_end->sends_back ? port_transmit((uint16_t)(wire + 1), 0, packets, n) : 0;
		if (gone < n)
			rte_pktmbuf_free_bulk(packets + gone, n - gone);
	}
}

static void wait_for_far_end(pid_t far)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	char path[64];
	wire_path(WIRES - 1, path, sizeof(path));
	while (access(path, F_OK)) {
		if (waitpid(far, NULL, WNOHANG))
			exit(1);
		nanosleep(&moment, NULL);
	}
}

static void wait_for_links(void)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	for (int i = 0; i < WIRES; i++) {
		struct ws_port_info info = {0};
		while (!info.link_up) {
			bench_expect(ws_port_info((uint16_t)i, &info));
			nanosleep(&moment, NULL);
		}
	}
}

static void remove_sockets(void)
{
	char path[64];
	for (int i = 0; i < WIRES; i++) {
		wire_path(i, path, sizeof(path));
		unlink(path);
	}
	rmdir(directory);
}

/* Each row is compared with the first of its kind, and wirespeed's driver with DPDK's. */
static void show(void)
{
	static double best[DRIVERS][MAX_ROWS];
	for (int d = 0; d < DRIVERS; d++)
		for (int i = 0; i < row; i++)
			best[d][i] = bench_quantile(rows[d][i].ticks, rows[d][i].count, BEST);
	for (int d = 0; d < DRIVERS; d++)
		for (int i = 0; i < row; i++) {
			const struct row *shown = &rows[d][i];
			printf("%-10s %-40s %6.1f ticks per packet, %4.2f of the rate of %s, %4.2f of %s\n",
				   names[d], shown->name, best[d][i], best[d][shown->base] / best[d][i],
				   rows[d][shown->base].name, best[DPDKS][i] / best[d][i], names[DPDKS]);
		}
}

int main(int argc, char **argv)
{
	int passes = argc > 1 ? atoi(argv[1]) : 60;
	uint16_t cpus[2] = {0};
	bench_last_cpus(cpus, 2);
	far_end =
		mmap(NULL, sizeof(*far_end), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (far_end == MAP_FAILED || !mkdtemp(directory)) {
		perror("bench_generator_memif");
		return 1;
	}
	pid_t far = fork();
	if (!far)
		be_far_end(cpus[1]);
	wait_for_far_end(far);
	open_wires("client", cpus[0]);
	wait_for_links();
	generator = ws_generator_create(NULL);
	bench_expect(generator ? 0 : -1);

	hurry();
	for (int pass = 0; pass < passes * DRIVERS; pass++) {
		row = base = 0;
		far_end->driver = driver = pass % DRIVERS;
		loads_64b(measure);
		loads_64b(measure_both_ways);
		base = row - 1; /* STATELESS, received back */
		measure_flow_set(65536);
		measure_flow_set(1000000);
		base = row;
		loads_imix(measure);
	}
	kill(far, SIGKILL);
	waitpid(far, NULL, 0);
	remove_sockets();
	show();
	ws_generator_destroy(generator);
	ws_runtime_close();
	return 0;
}
