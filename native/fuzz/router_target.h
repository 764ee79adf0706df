/* SPDX-License-Identifier: Apache-2.0 */
/* A router for the targets that send packets into one. */
#pragma once

#include "tests/router_rig.h"
#include "wire/address.h"

/* 2001:db8:N::H. The interfaces are N = 0 and 1 of H = 1, their neighbours H = 2; routes lead to
 * N = 0x48, of one path, and N = 0x4a, of three. */
#define ROUTER_TARGET_IP6(n, h)                                                                    \
	address_of_ip6((uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, (uint8_t)(n), [15] = (h)})

/*
 * Extend the rig of a target, which has neighbours, routes of one path and of two, and an interface
 * of small MTU: all nodes can be reached. Optional; runs before the first input.
 */
void router_target_extend(void);

/* An input of two bytes and a frame: what is to be made right in it, and the length of the buffers
 * in which it lies (0: one buffer). */
struct router_target_input {
	uint8_t fixes;
	size_t piece;
	struct frame frame;
};

/* False for what is none. */
bool router_target_take(const uint8_t *data, size_t size, struct router_target_input *input);

/* Send the frame, in pieces of `piece` bytes; then nothing may be lost or left behind. */
void router_target_send(const uint8_t *bytes, size_t length, size_t piece);
