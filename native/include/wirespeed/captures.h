/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_generator;

/*
 * Captures: copies of packets as sent or received, for the main thread to read. At most `slots`
 * packets wait; further ones are counted as missed. A capture continues until it is stopped; its
 * unread packets are then lost. Returns the capture's number.
 */
enum ws_capture_what {
	WS_CAPTURE_ALL = 0,
	WS_CAPTURE_CONTROL = 1, /* ARP, ICMP and ICMPv6, behind any VLAN tags */
};

struct ws_capture_config {
	uint32_t tx_ports, rx_ports; /* bit i: port i */
	uint32_t slots;
	uint16_t snap_len; /* number of bytes to keep of a packet; 0: all */
	int32_t what;      /* enum ws_capture_what */
};

struct ws_captured {
	uint64_t tsc;
	uint16_t port;
	bool is_tx;
	uint16_t packet_len, byte_count; /* whole length without FCS; number of bytes kept */
};

enum { WS_MAX_CAPTURES = 16 };

int ws_generator_capture_start(struct ws_generator *generator,
							   const struct ws_capture_config *config);
/* Take at most `max` packets, oldest first for each port. Their bytes are stored consecutively in
 * `bytes`, as many whole packets as fit into `bytes_len`. Returns their number. */
int ws_generator_capture_read(struct ws_generator *generator, int32_t capture,
							  struct ws_captured *out, uint32_t max, uint8_t *bytes,
							  uint64_t bytes_len);
/* Number of packets missed so far. */
int64_t ws_generator_capture_missed(struct ws_generator *generator, int32_t capture);
int ws_generator_capture_stop(struct ws_generator *generator, int32_t capture);
