/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deliberate race, which tools/tsan.sh expects in the report: two workers count in one number
 * without order. There may be no other report: the workers' own numbers, and one that passes
 * between them in a buffer of the pool, are ordered.
 */
#include "dev/pool.h"
#include "dev/worker.h"
#include "tests/churn_rig.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static uint64_t raced, own[2][8];

static void count(uint16_t worker, void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		struct rte_mbuf *packet = rte_pktmbuf_alloc(ports_pool());
		raced++;
		own[worker][0]++;
		if (packet)
			*(uint64_t *)rte_pktmbuf_append(packet, sizeof(uint64_t)) = own[worker][0];
		rte_pktmbuf_free(packet);
		if (i % 100 == 0)
			usleep(1);
	}
}

int main(void)
{
	churn_open(2, false);
	churn_expect(workers_launch(count, NULL), "workers");
	workers_stop();
	printf("%lu and %lu\n", own[0][0], own[1][0]);
	churn_close();
	return raced > 2 * ROUNDS;
}
