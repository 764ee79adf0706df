/* SPDX-License-Identifier: Apache-2.0 */
/* A burst of packets: taken from the due streams, sent, and returned as far as not sent. */
#pragma once

#include "generator/port.h"
#include "generator/traffic/traffic.h"

enum { BURST = PROGRAM_BATCH };

/* Part of a burst: packets of one stream that follow each other. */
struct part {
	struct sender *sender;
	uint16_t count;
	bool overdue; /* beyond the grace of a full ring */
};

struct burst {
	struct rte_mbuf *packets[BURST];
	uint16_t lengths[BURST];
	struct part parts[BURST];
	uint16_t count, part_count;
};

/* The sender's next `n` packets, and their lengths; fewer when there are no buffers for them. */
uint16_t sender_take(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
					 uint16_t *lengths, uint16_t n);

/* Packets of a burst that could not be sent: they are not counted as asked for until they are. */
void traffic_hold(struct generator_port *port, struct traffic *traffic, struct sender *sender,
				  uint16_t n);
/* The driver did not take the last `refused` packets of the burst. */
void traffic_refuse(struct generator_port *port, struct traffic *traffic, struct burst *burst,
					uint16_t refused);
/* Nor would it take what else is due by now. */
void traffic_refuse_rest(struct generator_port *port, struct traffic *traffic, double now);
/* The worker fell behind: what is due by now is given up, or put off. */
void traffic_let_go(struct generator_port *port, struct traffic *traffic, double now);
