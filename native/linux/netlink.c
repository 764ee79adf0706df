/* SPDX-License-Identifier: Apache-2.0 */
/* The rtnetlink sockets of one namespace: events and dumps. */
#include "dev/error.h"
#include "dev/netns.h"
#include "linux/intake.h"
#include "linux/request.h"
#include "wirespeed/linux.h"

#include <errno.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The kernel makes the parts of a dump as long as the reader's buffers, and at most this long.
	 */
	BUFFER_LEN = 32768,
	BUFFERS = 32,
	ROUNDS = 64, /* receive calls per poll, so that other work of the main thread is not delayed */
	/* A message takes about a kilobyte of this; the kernel uses the memory only while messages
	 * wait. */
	RECEIVE_BUFFER = 64 << 20,
};

struct ws_linux {
	struct intake intake;
	struct dumps dumps;
	bool has_labels;
	int fd, requests;  /* two sockets */
	uint32_t sequence; /* sequence number of the running dump */
	uint8_t buffers[BUFFERS][BUFFER_LEN];
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int subscribe(int fd)
{
	static const int groups[] = {RTNLGRP_LINK,        RTNLGRP_NEIGH,      RTNLGRP_IPV4_IFADDR,
								 RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE};
	static const int nexthops = RTNLGRP_NEXTHOP, labels = RTNLGRP_MPLS_ROUTE;
	struct sockaddr_nl address = {.nl_family = AF_NETLINK};
	int size = RECEIVE_BUFFER;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof(groups[i])))
			return -errno;
	/* Fails on kernels without such objects (before 5.3), which have no events about them. */
	setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &nexthops, sizeof(nexthops));
	setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &labels, sizeof(labels));
	return 0;
}

/* Open both sockets in the namespace; returns 0 or a negative errno with an error text. */
static int open_sockets(struct ws_linux *opened, const char *netns)
{
	struct netns_visit visit;
	int error = netns_enter(netns, &visit);
	if (error)
		return error;
	opened->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
	error = opened->fd < 0 ? -errno : 0;
	opened->requests = request_socket();
	/* A kernel without MPLS takes a request for labels as a request for everything. */
	opened->has_labels = !access("/proc/sys/net/mpls", F_OK);
	netns_leave(&visit);
	if (!error)
		error = opened->requests < 0 ? opened->requests : subscribe(opened->fd);
	return error ? fail(error, "Linux's routes cannot be listened to: %s", strerror(-error)) : 0;
}

struct ws_linux *ws_linux_open(struct ws_router *router, const char *netns)
{
	struct ws_linux *opened = calloc(1, sizeof(*opened));
	if (!opened) {
		fail(-ENOMEM, "no memory for a netlink socket");
		return NULL;
	}
	opened->fd = opened->requests = -1;
	if (open_sockets(opened, netns) || intake_init(&opened->intake, router)) {
		ws_linux_close(opened, false);
		return NULL;
	}
	if (!opened->has_labels)
		opened->intake.wanted = opened->intake.all = INTAKE_ALL & ~(1u << DUMP_LABELS);
	return opened;
}

void ws_linux_close(struct ws_linux *linux_host, bool withdraw)
{
	if (withdraw)
		intake_withdraw(&linux_host->intake);
	if (linux_host->fd >= 0)
		close(linux_host->fd);
	if (linux_host->requests >= 0)
		close(linux_host->requests);
	intake_close(&linux_host->intake);
	free(linux_host);
}

int ws_linux_fd(struct ws_linux *linux_host)
{
	return linux_host->fd;
}

/* ---- Dumps ---- */

static int ask_for_dump(struct ws_linux *host, enum linux_dump dump)
{
	static const struct {
		uint16_t type;
		uint8_t family;
		uint8_t length;
	} what[DUMP_COUNT] = {
		[DUMP_LINKS] = {RTM_GETLINK, AF_UNSPEC, sizeof(struct ifinfomsg)},
		[DUMP_ADDRESSES] = {RTM_GETADDR, AF_UNSPEC, sizeof(struct ifaddrmsg)},
		[DUMP_NEIGHBORS] = {RTM_GETNEIGH, AF_UNSPEC, sizeof(struct ndmsg)},
		[DUMP_NEXTHOPS] = {RTM_GETNEXTHOP, AF_UNSPEC, sizeof(struct nhmsg)},
		[DUMP_ROUTES4] = {RTM_GETROUTE, AF_INET, sizeof(struct rtmsg)},
		[DUMP_ROUTES6] = {RTM_GETROUTE, AF_INET6, sizeof(struct rtmsg)},
		[DUMP_LABELS] = {RTM_GETROUTE, AF_MPLS, sizeof(struct rtmsg)},
	};
	struct {
		struct nlmsghdr header;
		union {
			struct ifinfomsg link;
			struct ifaddrmsg address;
			struct ndmsg neighbor;
			struct rtmsg route;
			struct nhmsg nexthop;
		};
	} message = {
		.header =
			{
				/* Trailing bytes would make a request for objects malformed. */
				.nlmsg_len = NLMSG_LENGTH(what[dump].length),
				.nlmsg_type = what[dump].type,
				.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
				.nlmsg_seq = ++host->sequence,
			},
	};
	/* The family is the first byte of each request structure. */
	message.link.ifi_family = what[dump].family;
	return send(host->fd, &message, message.header.nlmsg_len, 0) < 0 ? -errno : 0;
}

static void start_dump(struct ws_linux *host)
{
	enum linux_dump dump = dumps_next(&host->dumps, host->intake.wanted, now_ns());
	/* If the request does not fit into the socket, the next poll repeats it. */
	if (dump == DUMP_COUNT || ask_for_dump(host, dump))
		return;
	dumps_begin(&host->dumps, dump);
	intake_dump_begins(&host->intake, dump);
}

static void end_dump(struct ws_linux *host, bool refused)
{
	if (dumps_end(&host->dumps, refused, now_ns()))
		intake_dump_ends(&host->intake, host->dumps.running);
	else
		intake_dump_fails(&host->intake, host->dumps.running);
}

/* Kernels without next-hop objects refuse the dump; there are none. */
static bool is_refusal(const struct ws_linux *host, const struct linux_message *message)
{
	bool lacks_it = host->dumps.running == DUMP_NEXTHOPS && message->error == -EOPNOTSUPP;
	return (message->kind == LINUX_ERROR || message->error < 0) && !lacks_it;
}

/* ---- Messages ---- */

static void take_messages(struct ws_linux *host, const uint8_t *bytes, size_t length)
{
	struct linux_message message;
	size_t step;
	for (; (step = linux_message_parse(bytes, length, &message)); bytes += step, length -= step) {
		bool from_dump = host->dumps.is_running && message.sequence == host->sequence;
		host->dumps.is_interrupted |= from_dump && message.is_interrupted;
		if (message.kind == LINUX_DONE || message.kind == LINUX_ERROR) {
			if (from_dump)
				end_dump(host, is_refusal(host, &message));
		} else {
			intake_take(&host->intake, &message, from_dump);
		}
	}
}

static void overflow(struct ws_linux *host)
{
	host->intake.stats.overflows++;
	host->intake.wanted = host->intake.all;
	/* The lost messages may have belonged to the running dump. */
	host->dumps.is_interrupted = true;
}

/* False if nothing is left to read for now. */
static bool receive_messages(struct ws_linux *host)
{
	struct sockaddr_nl senders[BUFFERS] = {0};
	struct iovec pieces[BUFFERS];
	struct mmsghdr messages[BUFFERS];
	for (int i = 0; i < BUFFERS; i++) {
		pieces[i] = (struct iovec){host->buffers[i], BUFFER_LEN};
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_name = &senders[i],
												   .msg_namelen = sizeof(senders[i]),
												   .msg_iov = &pieces[i],
												   .msg_iovlen = 1}};
	}
	int n = recvmmsg(host->fd, messages, BUFFERS, MSG_DONTWAIT, NULL);
	if (n < 0) {
		if (errno == ENOBUFS)
			overflow(host);
		return errno == ENOBUFS || errno == EINTR;
	}
	for (int i = 0; i < n; i++) {
		/* Any process may send to this socket; only messages of the kernel are accepted. */
		if (senders[i].nl_pid)
			continue;
		if (messages[i].msg_hdr.msg_flags & MSG_TRUNC)
			overflow(host);
		take_messages(host, host->buffers[i], messages[i].msg_len);
	}
	return n == BUFFERS;
}

int ws_linux_poll(struct ws_linux *linux_host)
{
	struct intake *intake = &linux_host->intake;
	int round = 0;
	for (; round < ROUNDS; round++) {
		start_dump(linux_host);
		if (!receive_messages(linux_host) && !linux_host->dumps.is_running)
			break;
	}
	start_dump(linux_host);
	intake_flush(intake);
	int changes = (int)intake->changes | (round == ROUNDS ? WS_LINUX_MORE : 0);
	intake->changes = 0;
	return changes;
}

/* ---- What is known ---- */

int ws_linux_pair(struct ws_linux *linux_host, int32_t link, int32_t interface)
{
	dumps_hurry(&linux_host->dumps);
	return intake_pair(&linux_host->intake, link, interface);
}

int ws_linux_links(struct ws_linux *linux_host, struct ws_linux_link *out, uint32_t max)
{
	const struct intake *intake = &linux_host->intake;
	for (uint32_t i = 0; i < intake->link_count && i < max; i++)
		out[i] = intake->links[i].link;
	return (int)intake->link_count;
}

int ws_linux_addresses(struct ws_linux *linux_host, struct ws_linux_address *out, uint32_t max)
{
	const struct intake *intake = &linux_host->intake;
	for (uint32_t i = 0; i < intake->address_count && i < max; i++)
		out[i] = intake->addresses[i].address;
	return (int)intake->address_count;
}

void ws_linux_stats(struct ws_linux *linux_host, struct ws_linux_stats *out)
{
	*out = linux_host->intake.stats;
	out->is_syncing = linux_host->dumps.is_running || linux_host->intake.wanted;
}

/* ---- Requests ---- */

int ws_linux_link_index(struct ws_linux *linux_host, const char *name)
{
	return request_link_index(linux_host->requests, name);
}

int ws_linux_set_state(struct ws_linux *linux_host, int32_t link, bool up)
{
	return request_state(linux_host->requests, link, up);
}

int ws_linux_set_mtu(struct ws_linux *linux_host, int32_t link, uint32_t mtu)
{
	return request_mtu(linux_host->requests, link, mtu);
}

int ws_linux_set_mac(struct ws_linux *linux_host, int32_t link, const uint8_t *mac)
{
	return request_mac(linux_host->requests, link, mac);
}

int ws_linux_address_add(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix)
{
	return request_address(linux_host->requests, link, &prefix, true);
}

int ws_linux_address_del(struct ws_linux *linux_host, int32_t link, struct ws_prefix prefix)
{
	return request_address(linux_host->requests, link, &prefix, false);
}

int ws_linux_vlan_add(struct ws_linux *linux_host, const char *name, int32_t parent,
					  uint16_t protocol, uint16_t id)
{
	return request_vlan(linux_host->requests, name, parent, protocol, id);
}

int ws_linux_link_delete(struct ws_linux *linux_host, int32_t link)
{
	return request_delete(linux_host->requests, link);
}
