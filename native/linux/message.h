/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of one rtnetlink message: checked bytes in, plain structs out. No sockets, no state. */
#pragma once

#include "wirespeed/limits.h"
#include "wirespeed/linux.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct linux_neighbor {
	int32_t link;
	struct ws_address address;
	bool is_known;     /* has a MAC address that may be used */
	bool is_heard;     /* … and answered of late */
	bool has_failed;   /* does not answer, or was deleted by hand */
	bool is_permanent; /* set by hand */
	uint8_t mac[6];
};

struct linux_path {
	int32_t link;
	struct ws_address gateway; /* family 0: none */
	uint16_t weight;
	uint8_t label_count; /* pushed; above WS_MAX_LABELS: more than there is room for */
	uint32_t labels[WS_MAX_LABELS];
};

/* An object that routes name by its number: one path, none, or a group of others. */
struct linux_nexthop {
	uint32_t id;
	bool is_blackhole, is_dead;
	uint16_t member_count; /* members of a group, at most WS_MAX_PATHS */
	struct {
		uint32_t id;
		uint16_t weight;
	} members[WS_MAX_PATHS];
	struct linux_path path;
};

struct linux_route {
	struct ws_prefix prefix;
	uint32_t table;
	uint32_t metric;
	uint32_t nexthop; /* the object that it names, which has the paths; 0: none */
	int32_t kind;     /* enum ws_path_kind: NEXT_HOP (of each path), DROP, UNREACHABLE, PROHIBIT */
	bool is_ours;     /* one that a router should have: no cached, kernel-made or local one */
	bool is_appended; /* stands behind one that was there */
	uint16_t path_count; /* dead ones and those beyond WS_MAX_PATHS left out */
	struct linux_path paths[WS_MAX_PATHS];
};

/* Paths of packets with the label, at any place of the stack. */
struct linux_label {
	uint32_t label;
	uint16_t path_count; /* dead ones and those beyond WS_MAX_PATHS left out */
	struct linux_path paths[WS_MAX_PATHS];
};

enum linux_kind {
	LINUX_OTHER, /* nothing for us, or malformed */
	LINUX_DONE,  /* a dump has ended, whole unless `error` says why not */
	LINUX_ERROR, /* a request failed with `error` */
	LINUX_LINK,
	LINUX_ADDRESS,
	LINUX_NEIGHBOR,
	LINUX_ROUTE,
	LINUX_NEXTHOP,
	LINUX_LABEL,
};

struct linux_message {
	enum linux_kind kind;
	bool is_removal;     /* RTM_DEL… */
	bool is_interrupted; /* the dump missed something and is to be repeated */
	bool has_carrier;    /* the link has a carrier */
	uint32_t sequence;
	int32_t error; /* negative errno */
	union {
		struct ws_linux_link link;
		struct ws_linux_address address;
		struct linux_neighbor neighbor;
		struct linux_route route;
		struct linux_nexthop nexthop;
		struct linux_label label;
	};
};

/*
 * Take the first message of `bytes` apart. Returns the bytes it takes, padding included, or 0 when
 * there is no whole message. What is malformed inside is LINUX_OTHER.
 */
size_t linux_message_parse(const void *bytes, size_t length, struct linux_message *out);
