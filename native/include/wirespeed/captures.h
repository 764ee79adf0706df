/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

/*
 * Captures: copies of packets as sent or received, for the main thread to read. `slots` packets
 * wait at most; what finds no room is counted as missed. A capture goes on until it is stopped;
 * what it holds is lost then. Returns the capture's number.
 */
enum ws_capture_what {
	WS_CAPTURE_ALL = 0,
	WS_CAPTURE_CONTROL = 1, /* ARP, ICMP and ICMPv6, behind any VLAN tags */
};

struct ws_capture_config {
	uint32_t tx_ports, rx_ports; /* bit i: port i */
	uint32_t slots;
	uint16_t snap_len; /* bytes kept of a packet; 0: all */
	int32_t what;      /* enum ws_capture_what */
};

struct ws_captured {
	uint64_t tsc;
	uint16_t port;
	bool is_tx;
	uint16_t packet_len, byte_count; /* whole length without FCS; how much of it was kept */
};

enum { WS_MAX_CAPTURES = 16 };

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config);
/* Takes out at most `max` packets, oldest first for each port; their bytes follow each other in
 * `bytes`, as far as `bytes_len` reaches for whole ones. Returns how many. */
int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len);
/* Packets that found no room so far. */
int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture);
int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture);
