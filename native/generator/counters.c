/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all ports as one snapshot: each worker copies its own between two bursts. */
#include "dev/error.h"
#include "generator/generator.h"

#include <errno.h>
#include <string.h>

int ws_generator_counters(struct ws_generator *generator, struct ws_generator_port *out,
						  uint64_t *tsc)
{
	*tsc = ws_tsc();
	for (uint16_t i = 0; i < generator->port_count; i++) {
		const struct generator_port *port = &generator->ports[i];
		struct ws_port_counters driver;
		int error = ws_port_counters(i, &driver);
		if (error)
			return error;
		out[i] = (struct ws_generator_port){
			.tx_packets = port->tx_packets,
			.tx_bytes = port->tx_bytes,
			.rx_packets = port->rx_packets,
			.rx_bytes = port->rx_bytes,
			.asked_packets = port->asked_packets,
			.refused_packets = port->refused_packets,
			.late_packets = port->late_packets,
			.rx_missed = driver.rx_missed,
			.rx_errors = driver.rx_errors,
			.tx_errors = driver.tx_errors,
		};
	}
	return generator->port_count;
}

int ws_generator_worker(struct ws_generator *generator, uint16_t worker,
						struct ws_generator_worker *out)
{
	if (worker >= generator->worker_count)
		return fail(-ENOENT, "there is no worker %u; there are %u", worker,
					generator->worker_count);
	*out = generator->workers[worker].stats;
	return 0;
}
