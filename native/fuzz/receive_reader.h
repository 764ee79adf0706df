/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second reader of received frames, as an oracle for the generator: it goes by the documented
 * offsets and numbers, not by the generator's code.
 */
#pragma once

#include "wirespeed/flows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { READER_PORTS = 2, READER_FLOWS = 3, READER_TAIL = 16, READER_MAX_INDEX = 2048 };
/* Series that receivers look for, numbered 0, 16, …; numbers that they remember */
enum { READER_SERIES = 2, READER_WINDOW = 16384 };
#define READER_FIRST_SEQUENCE 0xfffffffeu

/* Order of a latency flow since its reset. */
struct reader_order {
	bool is_unsure; /* it came by two ports, or from too far, or it was reset on its way */
	uint64_t dropped, duplicate, out_of_order;
};

struct reader_flow {
	uint64_t packets, duplicates, reordered, unplaced;
	bool is_unsure; /* some had a number that is not followed */
};

struct reader {
	uint64_t latency[READER_FLOWS][READER_PORTS]; /* packets */
	struct reader_flow stats[WS_FLOWS][READER_PORTS];
	uint64_t faults; /* since reader_renew */
};
extern struct reader reader;

/* The frame came in; `head` bytes of it in its first piece. */
void reader_take(const uint8_t *frame, size_t length, size_t head, uint16_t port);
/* All latency flows begin anew, as start number `start`; or all flows are reset. */
void reader_begin(uint8_t start);
void reader_reset(void);
/* Receivers that saw nothing yet. */
void reader_renew(void);

struct reader_order reader_order(uint32_t flow);
/* True for ARP, ICMP and ICMPv6. */
bool reader_is_control(const uint8_t *frame, size_t head);
