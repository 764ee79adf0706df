/* SPDX-License-Identifier: Apache-2.0 */
/* A router for the targets that send packets into one. */
#ifndef FUZZ_ROUTER_TARGET_H
#define FUZZ_ROUTER_TARGET_H

#include "tests/router_rig.h"

/*
 * The rig with neighbours, routes of one path and of two, and one interface of small MTU, so that
 * every node can be reached.
 */
void router_target_start(void);

/* Send the frame, in pieces of `piece` bytes; then nothing may be lost or left behind. */
void router_target_send(const uint8_t *bytes, size_t length, size_t piece);

#endif
