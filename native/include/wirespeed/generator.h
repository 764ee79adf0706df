/* SPDX-License-Identifier: Apache-2.0 */
/* A generator: made, started, counted. */
#pragma once

#include "wirespeed/limits.h"
#include "wirespeed/streams.h"

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

/*
 * All ports are served. `port_workers[i]` are the workers of port i as bits; NULL: port i belongs
 * to worker i modulo their number. The n-th of a port's workers sends in its TX queue n, and is its
 * core n; RX queues are dealt out to them in turn. Workers beyond the TX queues only receive; those
 * that would have no queue at all are refused.
 */
struct ws_generator *ws_generator_create(const uint64_t *port_workers);
int ws_generator_start_workers(struct ws_generator *generator);
void ws_generator_destroy(struct ws_generator *generator); /* stops traffic and workers */
/* Let go of ports whose device was taken out, and return them as bits: now and then, and when
 * ws_links_fd is readable. */
uint64_t ws_generator_follow_links(struct ws_generator *generator);

/*
 * A port runs any number of profiles at once: sets of streams that start and stop together. Their
 * numbers are the caller's to choose; stream ids are unique in a profile. Start one: `factor`
 * multiplies its rates, `duration_s` below 0 is endless, and at `start_tsc` it begins (0: now), on
 * those of the port's cores that are in `cores` as bits (traffic/split.h has who sends what).
 * -EBUSY when that profile runs already, -EINVAL with the stream and instruction at fault in
 * ws_error().
 */
int ws_generator_start(struct ws_generator *generator, uint16_t port, uint32_t profile,
					   const struct ws_stream *streams, uint32_t count, double factor,
					   double duration_s, uint64_t start_tsc, uint64_t cores);
/* Both return when the last packet is sent; stopping what does not run is fine. Where many profiles
 * are named they ascend, and the port's worker is asked once. */
int ws_generator_stop(struct ws_generator *generator, uint16_t port, const uint32_t *profiles,
					  uint32_t count);
int ws_generator_stop_port(struct ws_generator *generator, uint16_t port);
/* These two return how many of the profiles run, and were changed. */
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
/* The port's profiles that were started and have not ended; returns how many there are. */
int ws_generator_profiles(struct ws_generator *generator, uint16_t port,
						  struct ws_profile_state *out, uint32_t max);

/* Frames received that no load consists of, by kind. */
struct ws_frame_kinds {
	uint64_t icmp_error, icmp6_error, arp;
	uint64_t nd;      /* IPv6 neighbour discovery, with router discovery and redirects */
	uint64_t lldp;    /* by its type, whatever the address */
	uint64_t control; /* others to 01:80:c2:…, which bridges do not forward */
};

struct ws_generator_port {
	uint64_t tx_packets, tx_bytes; /* taken by the driver; bytes with FCS */
	/* The part of tx and intended that ws_generator_push sent in addition to the streams. */
	uint64_t pushed_packets, pushed_bytes;
	uint64_t rx_packets, rx_bytes;
	/* Due by the schedule so far: tx + refused + no_buffer + late. */
	uint64_t intended_packets;
	uint64_t refused_packets;   /* not taken by the medium: enum ws_medium tells whose doing */
	uint64_t no_buffer_packets; /* nothing was left to build them in */
	uint64_t late_packets;      /* the worker came too late and let them go; never a burst's */
	uint64_t rx_missed;         /* arrived, and the port had no room or no buffer for them */
	uint64_t rx_errors, tx_errors;
	uint64_t rx_pause_frames, tx_pause_frames; /* UINT64_MAX: the driver does not count them */
	struct ws_frame_kinds rx_kinds;
	bool active, paused; /* active: a profile has not ended; paused: none of those sends */
};

struct ws_generator_worker {
	uint32_t sending; /* the ports on which it has something to send, as bits */
	uint64_t loops, busy_clocks, total_clocks; /* busy: loops that sent or received */
	/* Preemptions of the worker: dev/preemption.h. */
	uint64_t preemptions;
	double preempted_s, longest_preemption_s;
};

/*
 * All ports and workers at one instant, which `tsc` is: ports[i] is port i, workers[i] worker i.
 * `workers` may be NULL. Returns the number of ports.
 */
int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *ports,
						  struct ws_generator_worker *workers, uint64_t *tsc);
