/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of which each piece lies in a heap block of exactly its headroom and length, so that the
 * address sanitizer sees any access outside. */
#pragma once

#include <rte_mbuf.h>
#include <stddef.h>
#include <stdint.h>

/* In pieces of at most `piece` bytes. */
struct rte_mbuf *heap_packet(const uint8_t *bytes, size_t length, size_t piece, size_t headroom);
