/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of receiving and of sending a packet as the server of two memifs, in bursts, by wirespeed's
 * driver and by DPDK's. A second process, on another CPU, keeps one ring full and empties the
 * other.
 *
 *     bench_memif [SLICES [BYTES [PEER [BURST]]]]
 *
 * PEER is the client's driver: wirespeed's, or net_memif on both links, whose buffers are 2 048
 * bytes apart. BURST is the number of packets per call, at most 256: a short one shows the cost of
 * a call.
 *
 * Both drivers take turns of a few milliseconds, since two CPUs of a shared machine are rarely
 * undisturbed for longer. Results are the best tenth of the slices, and the median. Both processes
 * run at real-time priority where they may.
 */
#include "bench/bench_setup.h"
#include "dev/pool.h"
#include "dev/port.h"
#include "wirespeed/ports.h"

#include <rte_cycles.h>
#include <rte_mbuf.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OURS, DPDKS, DRIVERS, WIRES = 2 * DRIVERS, MAX_SLICES = 4000, MOST = 256, LOAD_BURST = 64 };
enum { RING_LOG2 = 11, SLICE_MS = 4, LEAST_BURSTS = 20, PAUSE = 200 };

static const char *const names[DRIVERS] = {"ours", "net_memif"};
static const double BEST = 0.1;
static char directory[] = "/tmp/bench-XXXXXX";
static uint16_t frame_len = 60; /* without FCS */
static bool peer_is_foreign;
static uint16_t burst = MOST;
static volatile int *turn; /* driver whose turn it is */

static struct result {
	double in[MAX_SLICES], out[MAX_SLICES];
	int count;
} results[DRIVERS];

static void pause_ms(long ms)
{
	const struct timespec time = {.tv_nsec = ms * 1000000};
	nanosleep(&time, NULL);
}

/* Wires 0 and 1 use wirespeed's driver, the others DPDK's. */
static void open_wires(bool is_client, uint16_t cpu)
{
	const char *role = is_client ? "client" : "server";
	struct ws_port_config ports[WIRES];
	for (int i = 0; i < WIRES; i++) {
		ports[i] = (struct ws_port_config){
			.rx_queues = 1,
			.tx_queues = 1,
			.rx_descriptors = 1 << RING_LOG2,
			.tx_descriptors = 1 << RING_LOG2,
			.mtu = 1500,
		};
		snprintf(ports[i].name, sizeof(ports[i].name), "wire%d", i);
		bool is_ours = i / 2 == OURS && !(is_client && peer_is_foreign);
		if (is_ours)
			snprintf(ports[i].devargs, sizeof(ports[i].devargs), "memif:%s/w%d,role=%s", directory,
					 i, role);
		else
			snprintf(ports[i].devargs, sizeof(ports[i].devargs),
					 "net_memif%d,role=%s,socket=%s/w%d,socket-abstract=no,rsize=%d", i, role,
					 directory, i, RING_LOG2);
	}
	bench_start_on(0, 192, cpu);
	bench_expect(ws_ports_open(ports, WIRES));
}

/* Without the permission, results are noisier. */
static void hurry(bool on)
{
	struct sched_param priority = {.sched_priority = on};
	(void)sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &priority);
}

static void load(uint16_t wire)
{
	struct rte_mbuf *packets[LOAD_BURST];
	uint16_t n = 0;
	if (!rte_pktmbuf_alloc_bulk(ports_pool(), packets, LOAD_BURST)) {
		for (uint16_t i = 0; i < (uint16_t)LOAD_BURST; i++)
			packets[i]->pkt_len = packets[i]->data_len = frame_len;
		n = port_transmit(wire, 0, packets, LOAD_BURST);
		rte_pktmbuf_free_bulk(packets + n, LOAD_BURST - n);
	}
	n = port_receive(wire + 1, 0, packets, LOAD_BURST);
	rte_pktmbuf_free_bulk(packets, n);
}

static void be_load(uint16_t cpu)
{
	struct ws_port_info info;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_wires(true, cpu);
	hurry(true);
	for (;;) {
		int driver = *turn;
		if (driver < 0) {
			/* DPDK's client connects when it is asked for its link. */
			for (uint16_t i = 0; i < (uint16_t)WIRES; i++)
				ws_port_info(i, &info);
			pause_ms(1);
		} else {
			load((uint16_t)(2 * driver));
		}
	}
}

static void wait_for_links(pid_t far)
{
	for (uint16_t i = 0; i < (uint16_t)WIRES; i++)
		while (!port_link_is_up(i)) {
			if (waitpid(far, NULL, WNOHANG))
				exit(1);
			pause_ms(20);
		}
}

static void measure(int driver)
{
	struct rte_mbuf *packets[MOST];
	struct result *result = &results[driver];
	uint16_t wire = (uint16_t)(2 * driver);
	uint64_t in = 0, out = 0, received = 0, sent = 0;
	*turn = driver;
	hurry(true);
	uint64_t end = rte_rdtsc() + rte_get_tsc_hz() / 1000 * SLICE_MS;
	while (rte_rdtsc() < end) {
		uint64_t start = rte_rdtsc();
		uint16_t n = port_receive(wire, 0, packets, burst);
		uint64_t middle = rte_rdtsc();
		uint16_t gone = n ? port_transmit(wire + 1, 0, packets, n) : 0;
		uint64_t done = rte_rdtsc();
		if (n == burst && gone == burst) {
			in += middle - start;
			out += done - middle;
			received += n;
			sent += gone;
		}
		rte_pktmbuf_free_bulk(packets + gone, n - gone);
		/* Wait until the next whole burst can be there. */
		while (n < burst && rte_rdtsc() < done + MOST * PAUSE)
			rte_pause();
	}
	hurry(false);
	*turn = -1;
	if (received < LEAST_BURSTS * burst || result->count == MAX_SLICES)
		return;
	result->in[result->count] = (double)in / (double)received;
	result->out[result->count++] = (double)out / (double)sent;
}

static void show(int driver)
{
	struct result *result = &results[driver];
	if (!result->count) {
		printf("%-10s never had the CPUs for itself\n", names[driver]);
		return;
	}
	printf("%-10s in %5.1f (median %5.1f), out %5.1f (median %5.1f) ticks per packet, %d slices\n",
		   names[driver], bench_quantile(result->in, result->count, BEST),
		   bench_quantile(result->in, result->count, 0.5),
		   bench_quantile(result->out, result->count, BEST),
		   bench_quantile(result->out, result->count, 0.5), result->count);
}

int main(int argc, char **argv)
{
	int slices = argc > 1 ? atoi(argv[1]) : 400;
	uint16_t cpus[2] = {0};
	char path[64];
	frame_len = argc > 2 ? (uint16_t)atoi(argv[2]) : frame_len;
	peer_is_foreign = argc > 3 && !strcmp(argv[3], "net_memif");
	if (argc > 4)
		burst = (uint16_t)RTE_MIN(RTE_MAX(atoi(argv[4]), 1), (int)MOST);
	bench_last_cpus(cpus, 2);
	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turn == MAP_FAILED || !mkdtemp(directory)) {
		perror("bench_memif");
		return 1;
	}
	*turn = -1;
	pid_t far = fork();
	if (!far) {
		/* DPDK's client gives up if the socket does not exist. */
		snprintf(path, sizeof(path), "%s/w%d", directory, WIRES - 1);
		while (access(path, F_OK))
			pause_ms(20);
		be_load(cpus[0]);
	}
	open_wires(false, cpus[1]);
	wait_for_links(far);
	for (int i = 0; i < slices; i++) {
		measure(i % DRIVERS);
		pause_ms(2);
	}
	kill(far, SIGKILL);
	waitpid(far, NULL, 0);
	for (int i = 0; i < DRIVERS; i++)
		show(i);
	ws_runtime_close();
	for (int i = 0; i < WIRES; i++) {
		snprintf(path, sizeof(path), "%s/w%d", directory, i);
		unlink(path);
	}
	rmdir(directory);
	return 0;
}
