/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second parser of received frames, as an oracle for the generator: it follows the documented
 * offsets and numbers, not the generator's code.
 */
#pragma once

#include "wirespeed/flows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { READER_PORTS = 2, READER_FLOWS = 3, READER_TAIL = 16, READER_MAX_INDEX = 2048 };
/* Series that receivers check, numbered 0, 16, …; size of the window of numbers. */
enum { READER_SERIES = 2, READER_WINDOW = 16384 };
#define READER_FIRST_SEQUENCE 0xfffffffeu

/* Order of a latency flow since its reset. */
struct reader_order {
	bool is_unsure; /* two ports received it, a number was too old, or it was reset in between */
	uint64_t dropped, duplicate, out_of_order;
};

struct reader_flow {
	uint64_t packets, duplicates, reordered, unplaced;
	bool is_unsure; /* some packets had a number outside of the followed series */
};

struct reader {
	uint64_t latency[READER_FLOWS][READER_PORTS]; /* number of packets */
	struct reader_flow stats[WS_FLOWS][READER_PORTS];
	uint64_t faults; /* since reader_renew */
};
extern struct reader reader;

/* A frame was received; `head` bytes of it are in its first segment. */
void reader_take(const uint8_t *frame, size_t length, size_t head, uint16_t port);
/* Begin all latency flows again, with start number `start`; or reset all flows. */
void reader_begin(uint8_t start);
void reader_reset(void);
/* Receivers without state. */
void reader_renew(void);

struct reader_order reader_order(uint32_t flow);
/* True for ARP, ICMP and ICMPv6. */
bool reader_is_control(const uint8_t *frame, size_t head);
