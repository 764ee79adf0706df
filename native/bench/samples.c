/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

#include "bench/bench_setup.h"
#include "graph/graph.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALIBRATION_WORDS = 2048, CALIBRATION_PASSES = 4 };
static const double FAST = 1.05; /* relative to the fastest tenth */

struct sample {
	double calibration; /* ticks of the fixed work, the slower of both measurements */
	double figures[SAMPLES_MAX_FIGURES];
};

struct samples {
	uint32_t figures, count, capacity;
	struct sample *at;
};

/* The calibrations of all samples. */
static struct {
	uint32_t count, capacity;
	double *at;
} seen;

/* Loads from the L1 cache, and arithmetic that keeps all units of the core busy, as in the nodes.
 */
static double calibrate(void)
{
	static uint32_t words[CALIBRATION_WORDS];
	static volatile uint32_t result;
	uint32_t a = 1, b = 2, c = 3, d = 4;
	uint64_t start = graph_tsc();
	for (int pass = 0; pass < CALIBRATION_PASSES; pass++)
		for (uint32_t i = 0; i < CALIBRATION_WORDS; i += 4) {
			a = (a ^ words[i]) * 5 + i;
			b = (b ^ words[i + 1]) * 5 + i;
			c = (c ^ words[i + 2]) * 5 + i;
			d = (d ^ words[i + 3]) * 5 + i;
		}
	result = a ^ b ^ c ^ d;
	(void)result;
	return (double)(graph_tsc() - start);
}

static void *grow(void *memory, uint32_t *capacity, size_t size)
{
	*capacity = *capacity ? *capacity * 2 : 256;
	memory = realloc(memory, *capacity * size);
	if (!memory)
		exit(1);
	return memory;
}

struct samples *samples_make(uint32_t figures)
{
	struct samples *samples = calloc(1, sizeof(*samples));
	if (!samples)
		exit(1);
	samples->figures = figures;
	return samples;
}

void samples_begin(struct samples *samples)
{
	if (samples->count == samples->capacity)
		samples->at = grow(samples->at, &samples->capacity, sizeof(*samples->at));
	samples->at[samples->count].calibration = calibrate();
}

void samples_end(struct samples *samples, const double *figures)
{
	struct sample *sample = &samples->at[samples->count++];
	sample->calibration = fmax(sample->calibration, calibrate());
	memcpy(sample->figures, figures, samples->figures * sizeof(*figures));
	if (seen.count == seen.capacity)
		seen.at = grow(seen.at, &seen.capacity, sizeof(*seen.at));
	seen.at[seen.count++] = sample->calibration;
}

/* NaN if there are no samples. */
static double seen_at(double share)
{
	return seen.count ? bench_quantile(seen.at, seen.count, share) : NAN;
}

/* Computed once, when all samples exist. */
static double fast_limit(void)
{
	static uint32_t known;
	static double limit;
	if (known != seen.count)
		limit = seen_at(0.1) * FAST;
	known = seen.count;
	return limit;
}

static bool is_fast(const struct sample *sample)
{
	return sample->calibration <= fast_limit();
}

uint32_t samples_fast(const struct samples *samples)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < samples->count; i++)
		count += is_fast(&samples->at[i]);
	return count;
}

double samples_median(const struct samples *samples, uint32_t figure)
{
	double *values = malloc((samples->count + 1) * sizeof(*values));
	uint32_t count = 0;
	for (uint32_t i = 0; values && i < samples->count; i++)
		if (is_fast(&samples->at[i]))
			values[count++] = samples->at[i].figures[figure];
	double result = count ? bench_quantile(values, count, 0.5) : NAN;
	free(values);
	return result;
}

void samples_show_machine(void)
{
	uint32_t fast = 0;
	double best = seen_at(0.1);
	for (uint32_t i = 0; i < seen.count; i++)
		fast += seen.at[i] <= fast_limit();
	printf(
		"machine: the fixed work took %.2f ticks a step at its fastest, %.2f in the middle, %.2f "
		"at its slowest tenth; %u of %u samples are fast\n",
		best / (CALIBRATION_WORDS * CALIBRATION_PASSES),
		seen_at(0.5) / (CALIBRATION_WORDS * CALIBRATION_PASSES),
		seen_at(0.9) / (CALIBRATION_WORDS * CALIBRATION_PASSES), fast, seen.count);
}
