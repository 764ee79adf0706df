/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, starting and counting of a generator. */
#pragma once

#include "wirespeed/limits.h"
#include "wirespeed/streams.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

/*
 * All ports are served. `port_workers[i]`: bit set of the workers of port i; NULL: worker i modulo
 * their number. The n-th worker of a port is its core n and sends in its TX queue n; RX queues are
 * distributed to its workers in turn. Workers beyond the TX queues only receive; a worker without
 * any queue is refused.
 */
struct ws_generator *ws_generator_create(const uint64_t *port_workers);
int ws_generator_start_workers(struct ws_generator *generator);
void ws_generator_destroy(struct ws_generator *generator); /* stops traffic and workers */
/* The time that idle workers sleep between two looks for packets and calls, below a second; 50 us
 * at first. RX rings must hold what arrives meanwhile. When the call returns, no longer nap is
 * under way. */
void ws_generator_set_nap(struct ws_generator *generator, uint32_t nap_ns);
/* Close ports whose device was removed, and return them as a bit set. Call it periodically, and
 * when ws_links_fd is readable. */
uint64_t ws_generator_follow_links(struct ws_generator *generator);

/*
 * A port runs any number of profiles at once: sets of streams that start and stop together. The
 * caller numbers them; stream ids are unique within a profile. Start a profile: `factor` multiplies
 * its rates, a negative `duration_s` is endless, and it starts at `start_tsc` (0: now) on the
 * port's cores in the bit set `cores` (traffic/split.h: distribution of streams). -EBUSY if the
 * profile runs already, -EINVAL with the stream and instruction at fault in ws_error().
 */
int ws_generator_start(struct ws_generator *generator, uint16_t port, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc, uint64_t cores);
/* Both return once the last packet is sent. Profiles that do not run are ignored. `profiles` are in
 * ascending order, and the port's workers are asked once for all. */
int ws_generator_stop(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					  uint32_t count);
int ws_generator_stop_port(struct ws_generator *generator, uint16_t port);
/* These two return the number of profiles that run and were changed. */
int ws_generator_pause(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					   uint32_t count, bool paused);
int ws_generator_set_factors(struct ws_generator *generator, uint16_t port,
							 const uint32_t *profiles, const double *factors, uint32_t count);
int ws_generator_pause_stream(struct ws_generator *generator, uint16_t port, uint32_t profile,
							  uint32_t stream_id, bool paused);
int ws_generator_set_stream_factor(struct ws_generator *generator, uint16_t port, uint32_t profile,
								   uint32_t stream_id, double factor);

struct ws_profile_state {
	uint32_t profile;
	bool paused;
};
/* Profiles of the port that were started and have not ended; returns their number. */
int ws_generator_profiles(struct ws_generator *generator, uint16_t port,
						  struct ws_profile_state *out, uint32_t max);

/* Received frames that are not part of a load, by kind. */
struct ws_frame_kinds {
	uint64_t icmp_error, icmp6_error, arp;
	uint64_t nd;      /* IPv6 neighbour discovery, including router discovery and redirects */
	uint64_t lldp;    /* by Ethernet type, with any address */
	uint64_t control; /* other frames to 01:80:c2:…, which bridges do not forward */
};

struct ws_generator_port {
	uint64_t tx_packets, tx_bytes; /* taken by the driver; bytes with FCS */
	/* The part of the tx and intended counters that ws_generator_push sent. */
	uint64_t pushed_packets, pushed_bytes;
	uint64_t rx_packets, rx_bytes;
	/* Due so far by the schedule: tx + refused + no_buffer + late. */
	uint64_t intended_packets;
	uint64_t refused_packets;   /* not taken by the medium: enum ws_medium has the cause */
	uint64_t no_buffer_packets; /* there was no buffer to build them in */
	uint64_t late_packets; /* skipped since the worker was too late; never packets of a burst */
	uint64_t rx_missed;    /* arrived, but the port had no ring slot or no buffer for them */
	uint64_t rx_errors, tx_errors;
	uint64_t rx_pause_frames, tx_pause_frames; /* UINT64_MAX: the driver does not count them */
	struct ws_frame_kinds rx_kinds;
	bool active, paused; /* active: a profile has not ended; paused: all such profiles are paused */
};

struct ws_generator_worker {
	uint32_t sending; /* bit set of the ports for which it has something to send */
	uint64_t loops, busy_clocks, total_clocks; /* busy: loops that sent or received */
	/* Preemptions of the worker: dev/preemption.h. */
	uint64_t preemptions;
	double preempted_s, longest_preemption_s;
};

/*
 * All ports and workers at one instant, `tsc`: ports[i] is port i, workers[i] worker i. `workers`
 * may be NULL. Returns the number of ports.
 */
int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *ports,
						  struct ws_generator_worker *workers, uint64_t *tsc);
