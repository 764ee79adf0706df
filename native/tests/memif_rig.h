/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two memif ports of this process at both ends of one socket. The test program that includes it
 * first defines the patience for a link: LINK_PATIENCE_MS.
 */
#pragma once

#include "dev/port.h"
#include "tests/cmocka_all.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SERVER, CLIENT, PORTS, SLOTS = 64 };

static char directory[] = "/tmp/wirespeed-memif-XXXXXX", path[64];
static struct ws_port_config configs[PORTS];

static void expect(int result)
{
	if (result < 0)
		fail_msg("%s", ws_error());
}

static void wait_for_link(uint16_t port, bool up)
{
	for (int i = 0; port_link_is_up(port) != up; i++) {
		if (i == LINK_PATIENCE_MS)
			fail_msg("port %u: no link %s", port, up ? "up" : "down");
		usleep(1000);
	}
}

/* Open both ports, with `options` appended to each port's own; MARCH in the environment sets the
 * march level. Returns 0, or -1 if there is no directory. */
static int memif_rig_open(const char *program, const char *options, uint16_t queues, uint16_t mtu)
{
	cpu_set_t mine;
	struct ws_runtime_config config = {.memory_mb = 128, .worker_count = 1};
	const char *march = getenv("MARCH");
	config.march = march ? atoi(march) : 0;
	snprintf(config.program, sizeof(config.program), "%s", program);
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET(config.worker_cpus[0], &mine))
		config.worker_cpus[0]++;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/wire.sock", directory);
	for (int i = 0; i < PORTS; i++) {
		snprintf(configs[i].name, WS_NAME_LEN, "p%d", i);
		snprintf(configs[i].devargs, WS_DEVARGS_LEN, "memif:%s,role=%s%s", path,
				 i == SERVER ? "server" : "client", options);
		configs[i].rx_queues = configs[i].tx_queues = queues;
		configs[i].rx_descriptors = configs[i].tx_descriptors = SLOTS;
		configs[i].mtu = mtu;
	}
	if (ws_runtime_init(&config) == -EINVAL && march)
		exit(77); /* the CPU does not support this level */
	expect(ws_ports_open(configs, PORTS));
	return 0;
}

static void memif_rig_wait(void)
{
	wait_for_link(SERVER, true);
	wait_for_link(CLIENT, true);
}
