/* SPDX-License-Identifier: Apache-2.0 */
/* Limits on the number of objects. */
#pragma once

enum {
	WS_NAME_LEN = 64,
	WS_DEVARGS_LEN = 256,
	WS_MAX_PORTS = 256,          /* per router; DPDK's own drivers have RTE_MAX_ETHPORTS of them */
	WS_MAX_GENERATOR_PORTS = 32, /* sets of them are words (captures) */
	WS_MAX_INTERFACES = 16384,   /* ports, sub-interfaces and the rest together */
	WS_MAX_ADDRESSES = 16,       /* per interface, both families together */
	WS_MAX_WORKERS = 64,
	WS_MAX_POOLS = 8, /* pools of packet buffers, one per NUMA node; further nodes use the first */
	WS_MAX_QUEUES = 64,   /* per port and direction */
	WS_MAX_PATHS = 16,    /* per route */
	WS_MAX_ACLS = 1024,   /* per router */
	WS_MAX_LABELS = 8,    /* that one path pushes */
	WS_REWRITE_LEN = 24,  /* the longest header of a frame that is routed */
	WS_TRACE_BYTES = 128, /* bytes of a packet kept per trace step */
	WS_MOST_HELD = 128,   /* next hops that packets of a worker wait for */
	WS_MAX_MTU = 9216,    /* per interface; Ethernet header and tags come on top */
};
