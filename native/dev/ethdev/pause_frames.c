/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/pause_frames.h"

#include <rte_ethdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the counters in the drivers of DPDK 22.11; "%s" is rx or tx. The first line with a
 * matching counter applies: some drivers also count per priority, under names of the second line.
 */
static const char *const families[][PAUSE_NAMES] = {
	{"%s_flow_control_xon_packets", "%s_flow_control_xoff_packets"}, /* ixgbe, ngbe, txgbe */
	{"%s_xon_packets", "%s_xoff_packets"},                           /* e1000, igc, i40e, ice */
	{"%s_pause_frames", NULL},                                       /* axgbe, bnxt, cxgbe, qede */
	{"%s_pause_packets", NULL},                                      /* cxgbe, octeontx */
	{"%s_pause_pkts", NULL},                                         /* sfc */
	{"cgx_%s_pause_pkts", NULL},                                     /* cnxk, received */
	{"cgx_%s_pause_packets", NULL},                                  /* cnxk, sent */
	{"%s_pause", NULL},                                              /* bnx2x */
	{"%s_valid_pause", NULL},                                        /* dpaa */
	{"mac_%s_mac_pause_num", NULL},                                  /* hinic, hns3 */
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* Counters of each port's driver, by DPDK's number of the port. */
static struct counted {
	int received_count, sent_count;
	uint64_t received[PAUSE_NAMES], sent[PAUSE_NAMES];
} counted[RTE_MAX_ETHPORTS];

static int find_family(const char *const *names, int count, const char *direction, int family,
					   uint64_t places[PAUSE_NAMES])
{
	int found = 0;
	for (int i = 0; i < PAUSE_NAMES && families[family][i]; i++) {
		char wanted[RTE_ETH_XSTATS_NAME_SIZE];
		const char *mark = strstr(families[family][i], "%s");
		snprintf(wanted, sizeof(wanted), "%.*s%s%s", (int)(mark - families[family][i]),
				 families[family][i], direction, mark + strlen("%s"));
		int at = 0;
		while (at < count && strcmp(names[at], wanted))
			at++;
		if (at < count)
			places[found++] = (uint64_t)at;
	}
	return found;
}

int pause_find(const char *const *names, int count, const char *direction,
			   uint64_t places[PAUSE_NAMES])
{
	int found = 0;
	for (int family = 0; family < FAMILIES && !found; family++)
		found = find_family(names, count, direction, family, places);
	return found;
}

void pause_frames_open(uint16_t id)
{
	int count = rte_eth_xstats_get_names(id, NULL, 0);
	counted[id] = (struct counted){0};
	if (count <= 0)
		return;
	struct rte_eth_xstat_name *entries = calloc((size_t)count, sizeof(*entries));
	const char **names = calloc((size_t)count, sizeof(*names));
	if (entries && names && rte_eth_xstats_get_names(id, entries, (unsigned)count) == count) {
		for (int i = 0; i < count; i++)
			names[i] = entries[i].name;
		counted[id].received_count = pause_find(names, count, "rx", counted[id].received);
		counted[id].sent_count = pause_find(names, count, "tx", counted[id].sent);
	}
	free(names);
	free(entries);
}

static uint64_t sum(uint16_t id, const uint64_t *places, int count)
{
	uint64_t values[PAUSE_NAMES], all = 0;
	if (!count || rte_eth_xstats_get_by_id(id, places, values, (unsigned)count) != count)
		return UINT64_MAX;
	for (int i = 0; i < count; i++)
		all += values[i];
	return all;
}

void pause_frames_read(uint16_t id, uint64_t *received, uint64_t *sent)
{
	const struct counted *of = &counted[id];
	*received = sum(id, of->received, of->received_count);
	*sent = sum(id, of->sent, of->sent_count);
}
