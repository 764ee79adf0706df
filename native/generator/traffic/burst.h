/* SPDX-License-Identifier: Apache-2.0 */
/* A burst of packets: taken from the due streams and sent; refused packets are returned. */
#pragma once

#include "generator/port.h"
#include "generator/traffic/traffic.h"

enum { BURST = PROGRAM_BATCH };

/* Part of a burst: consecutive packets of one stream. */
struct part {
	struct sender *sender;
	uint16_t count;
	bool overdue; /* due for longer than the grace of a full ring */
};

struct burst {
	struct rte_mbuf *packets[BURST];
	uint16_t lengths[BURST];
	struct part parts[BURST];
	uint16_t count, part_count;
};

/* The sender's next `n` packets and their lengths; fewer if the buffers run out. */
uint16_t sender_take(struct traffic *traffic, struct sender *sender, struct rte_mbuf **packets,
					 uint16_t *lengths, uint16_t n);

/* Hold packets of a burst that could not be sent: they count as intended only once they are sent.
 */
void traffic_hold(struct generator_port *port, struct traffic *traffic, struct sender *sender,
				  uint16_t n);
/* The driver did not take the last `refused` packets of the burst. */
void traffic_refuse(struct generator_port *port, struct traffic *traffic, struct burst *burst,
					uint16_t refused);
/* Refuse all other packets that are due by now. */
void traffic_refuse_rest(struct generator_port *port, struct traffic *traffic, double now);
/* The worker fell behind: packets that are due by now are skipped or postponed. */
void traffic_let_go(struct generator_port *port, struct traffic *traffic, double now);
