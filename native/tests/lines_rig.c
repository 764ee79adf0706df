/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/lines_rig.h"

#include "dev/port.h"
#include "tests/cmocka_all.h"
#include "wirespeed/ports.h"
#include "wirespeed/runtime.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/wirespeed-lines-XXXXXX";

void lines_expect(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, ws_error());
	exit(1);
}

static void open_runtime(void)
{
	struct ws_runtime_config config = {
		.program = "lines", .memory_mb = 256, .worker_count = LINES_WORKERS, .shared_cpus = true};
	cpu_set_t mine;
	uint16_t found = 0;
	sched_getaffinity(0, sizeof(mine), &mine);
	for (uint16_t cpu = 0; found < (uint16_t)LINES_WORKERS;
		 cpu = (uint16_t)((cpu + 1) % CPU_SETSIZE))
		if (CPU_ISSET(cpu, &mine))
			config.worker_cpus[found++] = cpu;
	lines_expect(ws_runtime_init(&config), "runtime");
}

static void open_ports(int wires)
{
	enum { LINK_PATIENCE_MS = 20000 };
	struct ws_port_config ports[WS_MAX_PORTS] = {0};
	int count = 2 * wires;
	if (!mkdtemp(directory))
		lines_expect(-1, directory);
	for (int i = 0; i < count; i++) {
		bool is_server = (i % wires + i / wires) % 2 == 0;
		snprintf(ports[i].name, WS_NAME_LEN, "e%d", i);
		snprintf(ports[i].devargs, WS_DEVARGS_LEN, "memif:%s/wire%d,role=%s", directory, i % wires,
				 is_server ? "server" : "client");
		ports[i].rx_queues = ports[i].tx_queues = LINES_WORKERS;
		ports[i].rx_descriptors = ports[i].tx_descriptors = 256;
		ports[i].mtu = 1500;
	}
	lines_expect(ws_ports_open(ports, (uint16_t)count), "ports");
	for (int i = 0, up = 0; up < count; i++) {
		if (i == LINK_PATIENCE_MS)
			lines_expect(-1, "no link of memif");
		for (up = 0; up < count && port_link_is_up((uint16_t)up);)
			up++;
		usleep(1000);
	}
}

void lines_open(int wires)
{
	open_runtime();
	open_ports(wires);
}

void lines_close(void)
{
	ws_runtime_close();
	rmdir(directory);
}

void lines_threads(pid_t threads[LINES_WORKERS])
{
	for (uint16_t i = 0; i < (uint16_t)LINES_WORKERS; i++) {
		struct ws_worker_info info;
		lines_expect(ws_worker_info(i, &info), "worker");
		threads[i] = info.thread_id;
	}
}

static void show_code(const char *did, int worker, const void *at)
{
	Dl_info info = {0};
	dladdr(at, &info);
	printf("  worker %d %s it at %s+0x%zx (%s)\n", worker, did,
		   info.dli_fname ? info.dli_fname : "?",
		   (size_t)((const char *)at - (const char *)info.dli_fbase),
		   info.dli_sname ? info.dli_sname : "static");
}

static void show(const struct shared_line *line)
{
	printf("line 0x%zx:\n", (size_t)line->line);
	show_code("writes", line->writer, line->written_at);
	show_code("uses", line->other, line->used_at);
}

int lines_shared(struct shared_line found[LINES_SHOWN], line_test *is_by_design)
{
	int count = line_watch_shared(found, LINES_SHOWN, is_by_design);
	for (int i = 0; i < LINES_WORKERS; i++)
		assert_true(line_watch_written(i) > 0);
	for (int i = 0; i < count && i < LINES_SHOWN; i++)
		show(&found[i]);
	return count;
}
