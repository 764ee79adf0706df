/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of drivers' counters. */
#include "cmocka_all.h"
#include "dev/ethdev/pause_frames.h"
#include "dev/medium.h"
#include "dev/preemption.h"

static void only_shared_rings_are_the_peers_to_drain(void **state)
{
	(void)state;
	static const char *const queues[] = {
		"0000:02:00.0", "net_af_packet0,iface=memif", "net_af_xdp0,iface=ring0",
		"tap:ring",     "net_pcap0,tx_pcap=/ring:x",  "net_null0,size=64,copy=1",
	};
	assert_int_equal(medium_of("ring:a"), WS_MEDIUM_RING);
	assert_int_equal(medium_of("memif:/x,role=client,id=0"), WS_MEDIUM_RING);
	assert_int_equal(medium_of("net_memif0,role=client,id=0,socket=/x"), WS_MEDIUM_RING);
	assert_int_equal(medium_of("net_vhost0,iface=/x,queues=1,client=1"), WS_MEDIUM_RING);
	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++)
		assert_int_equal(medium_of(queues[i]), WS_MEDIUM_QUEUE);
}

/* The counters' names in e1000, ixgbe, bnxt and virtio. */
static void pause_frames_have_many_names(void **state)
{
	(void)state;
	static const char *const e1000[] = {"rx_good_packets", "rx_xon_packets", "tx_xon_packets",
										"rx_xoff_packets", "tx_xoff_packets"};
	static const char *const ixgbe[] = {"rx_xon_packets", "rx_flow_control_xoff_packets",
										"rx_priority0_xon_packets", "rx_flow_control_xon_packets"};
	static const char *const bnxt[] = {"tx_pause_frames", "continuous_pause_events"};
	static const char *const virtio[] = {"rx_good_packets", "rx_q0_packets"};
	uint64_t places[PAUSE_NAMES];
	assert_int_equal(pause_find(e1000, 5, "rx", places), 2);
	assert_int_equal(places[0] + places[1], 1 + 3);
	assert_int_equal(pause_find(e1000, 5, "tx", places), 2);
	assert_int_equal(places[0] + places[1], 2 + 4);
	assert_int_equal(pause_find(ixgbe, 4, "rx", places), 2);
	assert_int_equal(places[0] + places[1], 1 + 3);
	assert_int_equal(pause_find(ixgbe, 4, "tx", places), 0);
	assert_int_equal(pause_find(bnxt, 2, "rx", places), 0);
	assert_int_equal(pause_find(bnxt, 2, "tx", places), 1);
	assert_int_equal(places[0], 0);
	assert_int_equal(pause_find(virtio, 2, "rx", places), 0);
}

static void preemptions_add_up(void **state)
{
	(void)state;
	struct preemption_watch watch = preemption_watch_make(2000000000);
	const uint64_t least = watch.least;
	struct preemption preemption = {0};
	assert_int_equal(least, 2000 * PREEMPTION_US);
	preemption_note(&preemption, &watch, least - 1, least);
	assert_int_equal(preemption.count, 0);
	preemption_note(&preemption, &watch, 3 * least, 4 * least);
	preemption_note(&preemption, &watch, least, 5 * least);
	assert_int_equal(preemption.count, 2);
	assert_int_equal(preemption.ticks, 4 * least);
	assert_int_equal(preemption.longest, 3 * least);
	/* A sleep counts by the excess over its requested length. */
	const uint64_t late = 2000 * OVERSLEPT_US;
	preemption_note_sleep(&preemption, &watch, 50 * late, 49 * late + 1);
	preemption_note_sleep(&preemption, &watch, 50 * late, UINT64_MAX);
	preemption_note_sleep(&preemption, &watch, 50 * late, 100 * late);
	assert_int_equal(preemption.count, 2);
	preemption_note_sleep(&preemption, &watch, 50 * late, 49 * late);
	assert_int_equal(preemption.count, 3);
	assert_int_equal(preemption.ticks, 4 * least + late);
	assert_int_equal(preemption.longest, late);
}

static uint64_t wall_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void use_cpu(uint64_t ns)
{
	uint64_t before = preemption_cpu_ns();
	while (preemption_cpu_ns() - before < ns)
		;
}

/* A pass made long by its driver's system calls, and one that slept. A tick is a nanosecond. */
static void work_in_the_kernel_is_no_preemption(void **state)
{
	(void)state;
	enum { WORK_NS = 20000000, SLOP_NS = 1000000 };
	const struct timespec nap = {.tv_nsec = WORK_NS};
	struct preemption_watch watch = preemption_watch_make(1000000000);
	struct preemption preemption = {0}, asleep = {0};
	watch.works_in_kernel = true;
	uint64_t began = wall_ns(), used_before = preemption_cpu_ns();
	preemption_begin(&watch, began);
	use_cpu(WORK_NS);
	uint64_t used = preemption_cpu_ns() - used_before, ended = wall_ns();
	preemption_note(&preemption, &watch, ended - began, ended);
	/* Other threads may have used the CPU: only that time counts. */
	assert_in_range(preemption.ticks, 0, ended - began - used + SLOP_NS);
	began = wall_ns();
	preemption_begin(&watch, began);
	nanosleep(&nap, NULL);
	ended = wall_ns();
	preemption_note(&asleep, &watch, ended - began, ended);
	assert_int_equal(asleep.count, 1);
	assert_in_range(asleep.ticks, WORK_NS - SLOP_NS, ended - began);
}

/* A request of the main thread that worked, and one during which the worker had no CPU. */
static void only_time_without_cpu_counts_in_a_request(void **state)
{
	(void)state;
	enum { WORK_NS = 20000000, SLOP_NS = 1000000 };
	const struct timespec nap = {.tv_nsec = WORK_NS};
	struct preemption_watch watch = preemption_watch_make(1000000000);
	struct preemption worked = {0}, waited = {0};
	uint64_t began = wall_ns(), used_before = preemption_cpu_ns();
	preemption_look(&watch, began);
	use_cpu(WORK_NS);
	uint64_t used = preemption_cpu_ns() - used_before, ended = wall_ns();
	preemption_note_request(&worked, &watch, ended);
	assert_in_range(worked.ticks, 0, ended - began - used + SLOP_NS);
	began = wall_ns();
	preemption_look(&watch, began);
	nanosleep(&nap, NULL);
	ended = wall_ns();
	preemption_note_request(&waited, &watch, ended);
	assert_int_equal(waited.count, 1);
	assert_in_range(waited.ticks, WORK_NS - SLOP_NS, ended - began);
}

/* CPU time missing in passes below the limit is not charged to a later pass. */
static void cpu_time_is_looked_at_now_and_then(void **state)
{
	(void)state;
	struct preemption_watch watch = preemption_watch_make(1000000000);
	struct preemption preemption = {0};
	watch.works_in_kernel = true;
	preemption_begin(&watch, 1);
	uint64_t now = 1 + watch.window + 1;
	preemption_note(&preemption, &watch, 1000, now);
	assert_int_equal(watch.looked_at, now);
	preemption_note(&preemption, &watch, 1000, now + 1000);
	assert_int_equal(watch.looked_at, now);
	assert_int_equal(preemption.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_shared_rings_are_the_peers_to_drain),
		cmocka_unit_test(pause_frames_have_many_names),
		cmocka_unit_test(preemptions_add_up),
		cmocka_unit_test(work_in_the_kernel_is_no_preemption),
		cmocka_unit_test(only_time_without_cpu_counts_in_a_request),
		cmocka_unit_test(cpu_time_is_looked_at_now_and_then),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
