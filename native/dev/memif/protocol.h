/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memif 2.0 between two processes: messages on a SEQPACKET socket, and rings in memory that both
 * have mapped.
 *
 * The server listens, the client connects and brings all memory. In either direction the ring's
 * descriptors say where its buffers lie. Client to server (S2M): the client fills buffers and
 * moves `head`, the server empties them and moves `tail`. Server to client (M2S): the client offers
 * empty buffers and moves `head`, the server fills them and moves `tail`. Indices run freely.
 */
#pragma once

#include <stdint.h>

enum {
	MEMIF_VERSION = 0x0200,
	MEMIF_COOKIE = 0x3E31F20,
	MEMIF_MODE_ETHERNET = 0,
	MEMIF_MAX_REGIONS = 256,
	MEMIF_MAX_LOG2_SLOTS = 15, /* indices have 16 bits */
	MEMIF_NAME_LEN = 32,
	MEMIF_SECRET_LEN = 24,
};

enum memif_type {
	MEMIF_ACK = 1,
	MEMIF_HELLO,
	MEMIF_INIT,
	MEMIF_ADD_REGION,
	MEMIF_ADD_RING,
	MEMIF_CONNECT,
	MEMIF_CONNECTED,
	MEMIF_DISCONNECT,
};

struct memif_hello {
	char name[MEMIF_NAME_LEN];
	uint16_t min_version, max_version;
	/* The highest index that may be used, so 0 means one. */
	uint16_t max_region, max_m2s_ring, max_s2m_ring;
	uint8_t max_log2_slots;
} __attribute__((packed));

struct memif_init {
	uint16_t version;
	uint32_t id;
	uint8_t mode;
	char secret[MEMIF_SECRET_LEN];
	char name[MEMIF_NAME_LEN];
} __attribute__((packed));

/* Comes with the memory's descriptor. */
struct memif_add_region {
	uint16_t index;
	uint64_t size;
} __attribute__((packed));

enum { MEMIF_RING_S2M = 1 };

/* Comes with an eventfd. */
struct memif_add_ring {
	uint16_t flags, index, region;
	uint32_t offset;
	uint8_t log2_slots;
	uint16_t private_header_size;
} __attribute__((packed));

struct memif_disconnect {
	uint32_t code;
	char reason[96];
} __attribute__((packed));

struct memif_message {
	uint16_t type;
	union {
		struct memif_hello hello;
		struct memif_init init;
		struct memif_add_region add_region;
		struct memif_add_ring add_ring;
		char interface[MEMIF_NAME_LEN]; /* in CONNECT and CONNECTED: name of the sender's interface
										 */
		struct memif_disconnect disconnect;
		uint8_t bytes[126];
	};
} __attribute__((packed, aligned(128)));

enum { MEMIF_DESCRIPTOR_NEXT = 1 }; /* the packet continues in the next descriptor */

struct memif_descriptor {
	uint16_t flags, region;
	uint32_t length, offset, metadata;
};

enum { MEMIF_RING_MASKED = 1 }; /* set by the reader of the ring: no interrupts are wanted */

struct memif_ring {
	uint32_t cookie;
	uint16_t flags;
	uint16_t head;
	uint8_t line0[56];
	uint16_t tail;
	uint8_t line1[62];
	struct memif_descriptor descriptors[];
};

_Static_assert(sizeof(struct memif_message) == 128, "a message");
_Static_assert(sizeof(struct memif_descriptor) == 16, "a descriptor");
_Static_assert(sizeof(struct memif_ring) == 128, "a ring's head");
