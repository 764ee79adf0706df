/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of the generator's benches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ws_flow_set;
struct ws_stream;

/* The streams ask for much more than can be sent, so that every burst is full. */
typedef void load_fn(const char *name, const struct ws_stream *streams, uint32_t count);

/* Streams with 64-byte packets and different programs; the first one has none. */
void loads_64b(load_fn *measure);
/* Three lengths mixed as in IMIX, without a program and with some. */
void loads_imix(load_fn *measure);
/* Some of these with a signature, which numbers the packets. */
void loads_signed(load_fn *measure);
/* A hundred, a thousand and ten thousand streams. */
void loads_many(load_fn *measure);
/* The load that flow sets are compared with: packets that differ, as theirs do. */
extern const char STATELESS[];
/* So many flows over IPv4: each source has 50 000 ports. */
struct ws_flow_set flow_set_of(uint32_t flows, bool tcp);
/* A stream of a flow set; endless if `packets` is 0. */
void load_flow_set(load_fn *measure, const char *name, uint32_t order, uint64_t packets);
