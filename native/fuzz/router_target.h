/* SPDX-License-Identifier: Apache-2.0 */
/* A router for the targets that send packets into one. */
#pragma once

#include "tests/router_rig.h"
#include "wire/address.h"

/* 2001:db8:N::H. The interfaces are N = 0 and 1 with H = 1, their neighbours H = 2. Routes lead to
 * N = 0x48, with one path, and to N = 0x4a, with three. */
#define ROUTER_TARGET_IP6(n, h)                                                                    \
	address_of_ip6((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, (uint8_t)(n), [15] = (h)})

/*
 * Extend the rig for a target. It has neighbours, routes with one path and with two, and an
 * interface with a small MTU: all nodes can be reached. Optional; called before the first input.
 */
void router_target_extend(void);

/* An input of two bytes and a frame: what is to be corrected in it, and the length of its buffers
 * (0: one buffer). */
struct router_target_input {
	uint8_t fixes;
	size_t piece;
	struct frame frame;
};

/* False if the input is too short. */
bool router_target_take(const uint8_t *data, size_t size, struct router_target_input *input);

/* Send the frame, in segments of `piece` bytes; afterwards nothing may be lost or left behind. */
void router_target_send(const uint8_t *bytes, size_t length, size_t piece);
