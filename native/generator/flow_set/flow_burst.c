/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_burst.h"

#include "wire/checksum_lanes.h"

_Static_assert(FLOW_BURST % LANES == 0, "a burst has whole rows of lanes");

struct sums {
	uint32_t ip[FLOW_BURST], udp[FLOW_BURST];
};

static inline lanes load(const void *from)
{
	lanes values;
	memcpy(&values, from, sizeof(values));
	return values;
}

/* The sums of lanes beyond `n` are not used. */
static void sum_up(const struct flow_writer *writer, const struct flow_burst *burst,
				   struct sums *sums, uint16_t n)
{
	const uint32_t ip_base = checksum_fold(writer->ip_sum);
	const uint32_t udp_base = checksum_fold(writer->upper_sum + htole32(writer->mark));
	lanes sequence = (lanes){0, 1, 2, 3, 4, 5, 6, 7} + burst->sequence;
	for (uint16_t i = 0; i < n; i += LANES, sequence += LANES) {
		lanes low = fold_lanes(load(&burst->addresses[i]));
		lanes high = fold_lanes(load(&burst->addresses[i + LANES / 2]));
		lanes addresses = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14) +
						  __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15);
		lanes ip = finish_lanes(addresses + ip_base, 0);
		lanes udp =
			finish_lanes(addresses + fold_lanes(load(&burst->ports[i])) +
							 fold_lanes(load(&burst->flows[i])) + fold_lanes(sequence) + udp_base,
						 1);
		memcpy(&sums->ip[i], &ip, sizeof(ip));
		memcpy(&sums->udp[i], &udp, sizeof(udp));
	}
}

void flow_write_burst(const struct flow_writer *writer, const struct flow_burst *burst,
					  uint8_t *const *frames, uint16_t n)
{
	const uint32_t mark = writer->mark, sequence = burst->sequence;
	const uint16_t addresses_at = writer->ip_at + 12, udp_at = writer->upper_at;
	struct sums sums;
	sum_up(writer, burst, &sums, n);
	for (uint16_t i = 0; i < n; i++) {
		uint8_t *addresses = frames[i] + addresses_at, *udp = frames[i] + udp_at;
		memcpy(addresses - 2, &sums.ip[i], 2);
		memcpy(addresses, &burst->addresses[i], sizeof(burst->addresses[i]));
		memcpy(udp, &burst->ports[i], sizeof(burst->ports[i]));
		memcpy(udp + 6, &sums.udp[i], 2);
		flow_write_words(udp + UDP_LEN, mark, burst->flows[i], sequence + i);
	}
}
