/* SPDX-License-Identifier: Apache-2.0 */
/* Packets whose segments are in heap blocks of exactly their headroom and length, so that the
 * address sanitizer finds any access outside. */
#pragma once

#include <rte_mbuf.h>
#include <stddef.h>
#include <stdint.h>

/* In segments of at most `piece` bytes. */
struct rte_mbuf *heap_packet(const uint8_t *bytes, size_t length, size_t piece, size_t headroom);
