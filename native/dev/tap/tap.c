/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TAP ports: an interface of the Linux kernel, in any network namespace, as a port:
 * "tap:NAME[,netns=NS][,host-mac=MAC][,host-mtu=MTU][,state=down]".
 *
 * The port is a pair of rings, so workers make no system calls for it. One thread for all TAPs
 * (tap_thread.c), which sleeps while there are no frames, carries them between the rings and the
 * kernel. Frames that find a ring full are dropped and counted. The only wake-up at a worker's cost
 * is one write to an eventfd when that thread sleeps.
 */
#include "dev/tap/tap_thread.h"

#include "dev/error.h"
#include "dev/netns.h"
#include "dev/numa.h"
#include "dev/port_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <rte_ether.h>
#include <rte_kvargs.h>
#include <rte_lcore.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct tap taps[WS_MAX_PORTS];

struct options {
	char name[IFNAMSIZ], netns[NETNS_NAME_LEN];
	bool has_mac, down;
	struct rte_ether_addr mac;
	uint16_t mtu; /* MTU of the Linux interface; 0: the port's */
};

static int copy_netns(const char *key, const char *value, void *out)
{
	struct options *options = out;
	(void)key;
	return snprintf(options->netns, sizeof(options->netns), "%s", value) <
				   (int)sizeof(options->netns)
			   ? 0
			   : -1;
}

static int copy_mac(const char *key, const char *value, void *out)
{
	struct options *options = out;
	(void)key;
	options->has_mac = true;
	return rte_ether_unformat_addr(value, &options->mac);
}

static int copy_mtu(const char *key, const char *value, void *out)
{
	struct options *options = out;
	char *end;
	(void)key;
	unsigned long mtu = strtoul(value, &end, 10);
	options->mtu = (uint16_t)mtu;
	return !*end && mtu >= 68 && mtu <= UINT16_MAX ? 0 : -1;
}

static int copy_state(const char *key, const char *value, void *out)
{
	struct options *options = out;
	(void)key;
	options->down = !strcmp(value, "down");
	return options->down || !strcmp(value, "up") ? 0 : -1;
}

static int parse(const char *devargs, struct options *options)
{
	static const char *const keys[] = {"netns", "host-mac", "host-mtu", "state", NULL};
	const char *name = devargs + strlen("tap:");
	size_t length = strcspn(name, ",");
	*options = (struct options){0};
	if (!length || length >= sizeof(options->name))
		return fail(-EINVAL, "%s: give a name of 1 to %d characters, as Linux allows", devargs,
					IFNAMSIZ - 1);
	memcpy(options->name, name, length);
	struct rte_kvargs *words = rte_kvargs_parse(name[length] ? name + length + 1 : "", keys);
	int error = !words || rte_kvargs_process(words, "netns", copy_netns, options) ||
				rte_kvargs_process(words, "host-mac", copy_mac, options) ||
				rte_kvargs_process(words, "host-mtu", copy_mtu, options) ||
				rte_kvargs_process(words, "state", copy_state, options);
	rte_kvargs_free(words);
	return error
			   ? fail(-EINVAL,
					  "%s: a TAP takes netns=, host-mac=, host-mtu= of 68 or more and state=up or "
					  "down",
					  devargs)
			   : 0;
}

/* Configure the interface, from within its namespace. */
static int dress(const struct options *options, uint16_t mtu)
{
	struct ifreq request = {0};
	int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error = 0;
	memcpy(request.ifr_name, options->name, sizeof(options->name));
	if (options->has_mac) {
		request.ifr_hwaddr.sa_family = 1; /* ARPHRD_ETHER */
		memcpy(request.ifr_hwaddr.sa_data, options->mac.addr_bytes, 6);
		error = ioctl(handle, SIOCSIFHWADDR, &request) ? -errno : 0;
	}
	request.ifr_mtu = mtu;
	if (!error && mtu && ioctl(handle, SIOCSIFMTU, &request))
		error = -errno;
	if (!error && !options->down && ioctl(handle, SIOCGIFFLAGS, &request))
		error = -errno;
	request.ifr_flags |= IFF_UP;
	if (!error && !options->down && ioctl(handle, SIOCSIFFLAGS, &request))
		error = -errno;
	if (handle >= 0)
		close(handle);
	return error;
}

static int make_interface(const struct options *options, uint16_t mtu)
{
	struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | (short)IFF_TUN_EXCL};
	struct netns_visit visit;
	int error = netns_enter(options->netns, &visit);
	if (error)
		return error;
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		error = fail(-errno, "/dev/net/tun cannot be opened: %s", strerror(errno));
	} else {
		memcpy(request.ifr_name, options->name, sizeof(options->name));
		error = ioctl(fd, TUNSETIFF, &request) ? -errno : dress(options, mtu);
		bool exists = error == -EBUSY || error == -EEXIST || error == -EINVAL;
		if (error)
			fail(error, "interface %s cannot be made in %s%s: %s", options->name,
				 options->netns[0] ? "network namespace " : "this network namespace",
				 options->netns,
				 exists ? "the name is taken, or no name for an interface" : strerror(-error));
	}
	netns_leave(&visit);
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

static struct rte_ring *make_ring(uint16_t index, const char *direction, uint16_t slots,
								  unsigned int flags)
{
	char name[RTE_RING_NAMESIZE];
	snprintf(name, sizeof(name), "ws_tap%u_%s", index, direction);
	return rte_ring_create(name, slots, numa_node(), flags | RING_F_EXACT_SZ);
}

/* The rings have exactly the slots that the user asked for, also where that is no power of two. */
static int make_rings(struct port *port, struct tap *tap)
{
	port->rx_descriptors = port->config.rx_descriptors;
	port->tx_descriptors = port->config.tx_descriptors;
	/* Several workers may poll or send; a single thread is at the other end. */
	tap->to_host = make_ring(port->index, "out", port->tx_descriptors, RING_F_SC_DEQ);
	tap->from_host = make_ring(port->index, "in", port->rx_descriptors, RING_F_SP_ENQ);
	if (!tap->to_host || !tap->from_host)
		return fail(-ENOMEM, "port %s: no memory for its rings", port->config.name);
	return 0;
}

static void empty(struct rte_ring *ring)
{
	struct rte_mbuf *packet;
	while (ring && !rte_ring_dequeue(ring, (void **)&packet))
		rte_pktmbuf_free(packet);
	rte_ring_free(ring);
}

static void dispose(struct tap *tap)
{
	if (tap->fd >= 0)
		close(tap->fd);
	empty(tap->to_host);
	empty(tap->from_host);
	*tap = (struct tap){.fd = -1};
}

/* ---- Packets ---- */

static uint16_t receive(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	const struct tap *tap = queue;
	return (uint16_t)rte_ring_dequeue_burst(tap->from_host, (void **)packets, n, NULL);
}

static uint16_t transmit(void *queue, struct rte_mbuf **packets, uint16_t n)
{
	const struct tap *tap = queue;
	n = (uint16_t)rte_ring_enqueue_burst(tap->to_host, (void **)packets, n, NULL);
	tap_wake();
	return n;
}

/* ---- The port kind ---- */

static struct tap *tap_of(const struct port *port)
{
	return &taps[port->index];
}

static int open_tap(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	struct tap *tap = tap_of(port);
	struct options options;
	int fd = parse(config->devargs, &options);
	if (!fd)
		fd = make_interface(&options, options.mtu ? options.mtu : config->mtu);
	if (fd < 0)
		return fd;
	*tap = (struct tap){.fd = fd, .port = port->index, .alive = true};
	int error = make_rings(port, tap);
	if (!error)
		error = tap_thread_add(tap);
	if (error) {
		dispose(tap);
		return error;
	}
	struct port_path *path = &port_paths[port->index];
	*path = (struct port_path){.receive = receive, .transmit = transmit, .rx = {tap}};
	port->rx_queues = 1;
	port->tx_queues = RTE_MIN(config->tx_queues, (uint16_t)WS_MAX_QUEUES);
	for (uint16_t i = 0; i < port->tx_queues; i++)
		path->tx[i] = tap;
	return 0;
}

static void close_tap(struct port *port)
{
	tap_thread_remove(tap_of(port));
	dispose(tap_of(port));
}

static bool link_is_up(const struct port *port)
{
	return __atomic_load_n(&tap_of(port)->alive, __ATOMIC_RELAXED);
}

/* Linux shows a TAP without carrier as down, so routing daemons on it notice. */
static int set_carrier(struct port *port, bool up)
{
	int on = up;
	return ioctl(tap_of(port)->fd, TUNSETCARRIER, &on) ? -errno : 0;
}

static int listen_to(struct port *port, uint16_t queue, int epoll, uint16_t worker, bool on)
{
	(void)queue, (void)epoll;
	if (on)
		__atomic_store_n(&tap_of(port)->poller, worker, __ATOMIC_RELAXED);
	return 0;
}

static bool has_frames(const struct port *port, uint16_t queue)
{
	(void)queue;
	return !rte_ring_empty(tap_of(port)->from_host);
}

static int counters(const struct port *port, struct ws_port_counters *out)
{
	const struct tap_counts *now = &tap_of(port)->counts;
	struct own_pair rx = own_pair_read(&now->rx), tx = own_pair_read(&now->tx);
	*out = (struct ws_port_counters){
		.rx_packets = rx.packets,
		.rx_bytes = rx.bytes,
		.tx_packets = tx.packets,
		.tx_bytes = tx.bytes,
		.rx_missed = own_count_read(&now->rx_missed),
		.tx_errors = own_count_read(&now->tx_errors),
		.rx_no_buffer = own_count_read(&now->rx_no_buffer),
	};
	return 0;
}

static void describe(const struct port *port, struct ws_port_info *info)
{
	(void)port;
	info->max_rx_queues = 1;
}

static const struct port_kind tap_kind = {
	.prefix = "tap:",
	.driver = "tap",
	.rings_bell = true,
	.open = open_tap,
	.close = close_tap,
	.link_is_up = link_is_up,
	.set_link = set_carrier,
	.counters = counters,
	.describe = describe,
	.listen = listen_to,
	.has_packets = has_frames,
};
PORT_KIND(tap_kind)
