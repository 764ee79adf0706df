/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The router's IPv4 trie compared with DPDK's rte_fib: TSC ticks per lookup in vectors of 1, 32 and
 * 256, by number of routes, for random destinations under them.
 *
 *     bench_fib
 *
 * The same routes and destinations in both, in turn, a few microseconds each; medians of the
 * samples that met the machine at its fastest (samples.h). Both give the same values, or it ends
 * with 1. Compiled for the CPU that it is built on; rte_fib takes its best lookup function for
 * that.
 */
#include "bench/bench_setup.h"
#include "bench/node_paths.h"
#include "bench/samples.h"
#include "router/fib/fib_lookup_ip4.h"
#include "wire/address.h"
#include "wire/splitmix.h"

#include <rte_cycles.h>
#include <rte_fib.h>
#include <rte_vect.h>

enum { OF_ROUTER, OF_DPDK, KINDS };
enum { LARGEST = 256, DESTINATIONS = 1 << 12, SAMPLES_TAKEN = 300, GROUPS = 1 << 15 };

struct tables {
	struct fib_trie trie;
	struct rte_fib *fib;
	uint32_t destinations[DESTINATIONS];
};

static void fill(struct tables *tables, uint32_t routes)
{
	struct rte_fib_conf config = {
		.type = RTE_FIB_DIR24_8,
		.max_routes = (int)routes + 1,
		.dir24_8 = {.nh_sz = RTE_FIB_DIR24_8_4B, .num_tbl8 = GROUPS},
	};
	uint64_t state = 1;
	bench_expect(fib_trie_init(&tables->trie, WS_IP4, routes + 1));
	tables->fib = rte_fib_create("bench", SOCKET_ID_ANY, &config);
	for (uint32_t i = 0; tables->fib && i < routes; i++) {
		struct ws_prefix prefix = {address_of_ip4(route_address(i)), route_length(i)};
		bench_expect(fib_trie_set(&tables->trie, &prefix, i + 1));
		if (rte_fib_add(tables->fib, route_address(i), route_length(i), i + 1)) {
			rte_fib_free(tables->fib);
			tables->fib = NULL;
		}
	}
	if (!tables->fib) {
		fprintf(stderr, "rte_fib does not take %u routes\n", routes);
		exit(1);
	}
	for (int i = 0; i < DESTINATIONS; i++) {
		uint64_t drawn = splitmix_draw(&state);
		uint32_t route = (uint32_t)(drawn % routes), host = (uint32_t)(drawn >> 32);
		tables->destinations[i] =
			route_address(route) | (host & (UINT32_MAX >> route_length(route)));
	}
}

static inline void look_up(struct tables *tables, int kind, uint32_t first, uint64_t *values,
						   uint16_t n)
{
	uint32_t found[LARGEST];
	if (kind == OF_DPDK) {
		rte_fib_lookup_bulk(tables->fib, tables->destinations + first, values, n);
		return;
	}
	fib_trie_lookup_bulk_ip4(&tables->trie, tables->destinations + first, found, n);
	values[0] = found[n - 1]; /* read by the caller */
}

static double measure(struct tables *tables, int kind, uint16_t vector)
{
	uint64_t values[LARGEST], start = rte_rdtsc(), sum = 0;
	for (uint32_t done = 0; done < DESTINATIONS; done += vector) {
		look_up(tables, kind, done, values, vector);
		sum += values[0];
	}
	__asm__ volatile("" ::"r"(sum));
	return (double)(rte_rdtsc() - start) / DESTINATIONS;
}

static void compare_values(const struct tables *tables)
{
	for (uint32_t first = 0; first < DESTINATIONS; first += LARGEST) {
		uint32_t found[LARGEST];
		uint64_t values[LARGEST];
		fib_trie_lookup_bulk_ip4(&tables->trie, tables->destinations + first, found, LARGEST);
		rte_fib_lookup_bulk(tables->fib, (uint32_t *)tables->destinations + first, values, LARGEST);
		for (int i = 0; i < LARGEST; i++)
			if (found[i] != values[i]) {
				fprintf(stderr, "the two differ for 0x%08x\n", tables->destinations[first + i]);
				exit(1);
			}
	}
}

static void show(uint32_t routes)
{
	static const uint16_t vectors[] = {1, 32, LARGEST};
	enum { VECTORS = RTE_DIM(vectors) };
	struct tables *tables = calloc(1, sizeof(*tables));
	struct samples *samples[VECTORS][KINDS];
	bench_expect(tables ? 0 : -1);
	fill(tables, routes);
	compare_values(tables);
	for (int v = 0; v < VECTORS; v++)
		for (int kind = 0; kind < KINDS; kind++)
			samples[v][kind] = samples_make(1);
	for (int i = 0; i < SAMPLES_TAKEN; i++)
		for (int v = 0; v < VECTORS; v++)
			for (int kind = 0; kind < KINDS; kind++) {
				double ticks = measure(tables, kind, vectors[v]); /* warm */
				samples_begin(samples[v][kind]);
				ticks = measure(tables, kind, vectors[v]);
				samples_end(samples[v][kind], &ticks);
			}
	for (int v = 0; v < VECTORS; v++)
		printf("%8u routes, vector %3u: trie %6.1f, rte_fib %6.1f\n", routes, vectors[v],
			   samples_median(samples[v][OF_ROUTER], 0), samples_median(samples[v][OF_DPDK], 0));
	rte_fib_free(tables->fib);
	fib_trie_close(&tables->trie);
	free(tables);
}

int main(void)
{
	bench_start(0, 1024);
	rte_vect_set_max_simd_bitwidth(RTE_VECT_SIMD_512);
	show(10);
	show(100000);
	show(1000000);
	samples_show_machine();
	ws_runtime_close();
	return 0;
}
