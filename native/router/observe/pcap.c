/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/pcap.h"

#include "dev/error.h"
#include "dev/pool.h"
#include "router/observe/observe.h"
#include "router/observe/pcap_state.h"
#include "router/packet/metadata.h"
#include "wirespeed/trace.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_WAITING = 4095, /* copies in the ring to the main thread */
	CACHES = 1024,      /* buffers in the cache of a thread, at most */
	COPY_ROOM = 2048,   /* longer packets take several buffers */
	BURST = 64,
	LINKTYPE_ETHERNET = 1,
};
/* Magic number of files with nanosecond times. */
static const uint32_t MAGIC = 0xa1b23c4d;

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snap_len, link_type;
};

struct record_header {
	uint32_t seconds, nanoseconds, kept, length;
};

static void put_bytes(struct pcap *pcap, const void *bytes, size_t length)
{
	if (!pcap->error && fwrite(bytes, length, 1, pcap->file) != 1)
		pcap->error = errno;
}

static void write_record(struct pcap *pcap, const struct rte_mbuf *copy)
{
	struct note note;
	memcpy(&note, copy->buf_addr, sizeof(note));
	unsigned __int128 ticks = note.tsc - pcap->start_tsc;
	uint64_t ns = pcap->start_ns + (uint64_t)(ticks * 1000000000u / pcap->tsc_hz);
	const struct record_header header = {
		.seconds = (uint32_t)(ns / 1000000000u),
		.nanoseconds = (uint32_t)(ns % 1000000000u),
		.kept = copy->pkt_len,
		.length = note.length,
	};
	put_bytes(pcap, &header, sizeof(header));
	for (const struct rte_mbuf *piece = copy; piece; piece = piece->next)
		put_bytes(pcap, packet_data(piece), piece->data_len);
}

static void drain_ring(struct pcap *pcap)
{
	void *copies[BURST];
	unsigned int n;
	while ((n = rte_ring_sc_dequeue_burst(pcap->ring, copies, BURST, NULL)) > 0) {
		for (unsigned int i = 0; i < n && pcap->written < pcap->config.max_packets; i++) {
			write_record(pcap, copies[i]);
			pcap->written++;
		}
		rte_pktmbuf_free_bulk((struct rte_mbuf **)copies, n);
	}
	if (fflush(pcap->file) && !pcap->error)
		pcap->error = errno;
}

static void pcap_write(struct ws_router *router)
{
	struct pcap *pcap = pcap_of(router);
	if (!pcap || pcap->is_complete)
		return;
	drain_ring(pcap);
	if (pcap->written < pcap->config.max_packets && !pcap->error)
		return;
	observe_pause(router);
	pcap->is_complete = true;
	observe_resume(router);
	drain_ring(pcap);
}

/* Free a capture that workers do not see yet, or no longer. */
static void close_pcap(struct pcap *pcap)
{
	if (pcap->ring)
		drain_ring(pcap);
	rte_ring_free(pcap->ring);
	rte_mempool_free(pcap->pool);
	if (pcap->file)
		fclose(pcap->file);
	rte_free(pcap);
}

/* Set the capture, or NULL, while no worker observes. */
static void publish(struct ws_router *router, struct pcap *pcap)
{
	observe_pause(router);
	module_set_state(router, &observe_module, pcap);
	observe_resume(router);
}

static void pcap_free(struct ws_router *router)
{
	struct pcap *pcap = pcap_of(router);
	if (!pcap)
		return;
	publish(router, NULL);
	close_pcap(pcap);
}

static int open_pcap(struct ws_router *router, struct pcap *pcap)
{
	const struct file_header header = {
		.magic = MAGIC,
		.major = 2,
		.minor = 4,
		.snap_len = pcap->config.snap_len,
		.link_type = LINKTYPE_ETHERNET,
	};
	uint32_t waiting =
		rte_align32pow2(RTE_MIN(pcap->config.max_packets, (uint32_t)MAX_WAITING) + 1);
	int fd = dup(pcap->config.fd);
	pcap->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!pcap->file)
		return fail(-errno, "the capture's file cannot be written: %s", strerror(errno));
	pcap->ring = rte_ring_create("pcap", waiting, SOCKET_ID_ANY, RING_F_SC_DEQ);
	pcap->pool = pool_create("pcap", waiting + (router->worker_count + 1u) * CACHES, COPY_ROOM);
	if (!pcap->ring || !pcap->pool)
		return fail(-ENOMEM, "no memory for a capture of %u packets: %s", waiting,
					rte_strerror(rte_errno));
	put_bytes(pcap, &header, sizeof(header));
	return 0;
}

int ws_router_pcap_start(struct ws_router *router, const struct ws_pcap_config *config)
{
	struct timespec now;
	if (pcap_of(router))
		return fail(-EINVAL, "a capture is on already; end it with: pcap trace off");
	if (!config->max_packets || !config->snap_len)
		return fail(-EINVAL, "a capture of no packets or no bytes; give 1 or more of each");
	struct pcap *pcap = rte_zmalloc("pcap", sizeof(*pcap), RTE_CACHE_LINE_SIZE);
	if (!pcap)
		return fail(-ENOMEM, "no memory for a capture");
	clock_gettime(CLOCK_REALTIME, &now);
	pcap->config = *config;
	pcap->tsc_hz = router->tsc_hz;
	pcap->start_tsc = graph_tsc();
	pcap->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	int error = open_pcap(router, pcap);
	if (error) {
		close_pcap(pcap);
		return error;
	}
	publish(router, pcap);
	return 0;
}

int ws_router_pcap_status(struct ws_router *router, struct ws_pcap_status *out)
{
	*out = (struct ws_pcap_status){0};
	if (!pcap_of(router))
		return 0;
	pcap_write(router);
	*out = (struct ws_pcap_status){
		.is_there = true,
		.is_on = pcap_is_on(router),
		.written = pcap_of(router)->written,
		.missed = __atomic_load_n(&pcap_of(router)->missed, __ATOMIC_RELAXED),
		.error = pcap_of(router)->error,
	};
	return 0;
}

int ws_router_pcap_stop(struct ws_router *router, struct ws_pcap_status *out)
{
	if (!pcap_of(router))
		return fail(-EINVAL, "no capture is on; pcap trace starts one");
	observe_pause(router);
	pcap_of(router)->is_complete = true;
	observe_resume(router);
	drain_ring(pcap_of(router));
	ws_router_pcap_status(router, out);
	out->is_on = false;
	pcap_free(router);
	return 0;
}

ROUTER_MODULE(pcap_module, .name = "pcap", .close = pcap_free, .poll = pcap_write)
