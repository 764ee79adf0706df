/* SPDX-License-Identifier: Apache-2.0 */
/* TAP ports: making the interface, its rings and counters. The thread is in tap_thread.c. */
#include "dev/tap.h"

#include "dev/error.h"
#include "dev/netns.h"
#include "dev/port.h"
#include "dev/tap_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_kvargs.h>
#include <rte_ring.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct tap taps[WS_MAX_PORTS];

struct options {
	char name[IFNAMSIZ], netns[NETNS_NAME_LEN];
	bool has_mac, down;
	struct rte_ether_addr mac;
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

static int copy_state(const char *key, const char *value, void *out)
{
	struct options *options = out;
	(void)key;
	options->down = !strcmp(value, "down");
	return options->down || !strcmp(value, "up") ? 0 : -1;
}

static int parse(const char *devargs, struct options *options)
{
	static const char *const keys[] = {"netns", "host-mac", "state", NULL};
	const char *name = devargs + strlen("tap:");
	size_t length = strcspn(name, ",");
	*options = (struct options){0};
	if (!length || length >= sizeof(options->name))
		return fail(-EINVAL, "%s: an interface of Linux has a name of 1 to %d characters", devargs,
					IFNAMSIZ - 1);
	memcpy(options->name, name, length);
	struct rte_kvargs *words = rte_kvargs_parse(name[length] ? name + length + 1 : "", keys);
	int error = !words || rte_kvargs_process(words, "netns", copy_netns, options) ||
				rte_kvargs_process(words, "host-mac", copy_mac, options) ||
				rte_kvargs_process(words, "state", copy_state, options);
	rte_kvargs_free(words);
	return error ? fail(-EINVAL, "%s: a TAP takes netns=, host-mac= and state=up or down", devargs)
				 : 0;
}

/* What is set on the interface while we are in its namespace. */
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
	return rte_ring_create(name, rte_align32pow2(RTE_MAX(slots, 64u)), (int)rte_socket_id(), flags);
}

static int make_port(const struct ws_port_config *config, uint16_t index, struct tap *tap)
{
	struct rte_ring *tx[WS_MAX_WORKERS];
	uint16_t queues = RTE_MIN(config->tx_queues, (uint16_t)WS_MAX_WORKERS);
	char device[RTE_ETH_NAME_MAX_LEN];
	/* Any worker may poll or send; one thread is at the other end. */
	tap->to_host = make_ring(index, "out", config->tx_descriptors, RING_F_SC_DEQ);
	tap->from_host = make_ring(index, "in", config->rx_descriptors, RING_F_SP_ENQ);
	if (!tap->to_host || !tap->from_host)
		return fail(-ENOMEM, "port %s: no memory for its rings", config->name);
	for (uint16_t i = 0; i < queues; i++)
		tx[i] = tap->to_host;
	snprintf(device, sizeof(device), "tap_%u", index);
	int id = rte_eth_from_rings(device, &tap->from_host, 1, tx, queues, rte_socket_id());
	if (id != index)
		return fail(-ENODEV, "port %s: its rings become no port: %s", config->name,
					rte_strerror(rte_errno));
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

int tap_open(const struct ws_port_config *config, uint16_t index)
{
	struct tap *tap = &taps[index];
	struct options options;
	int fd = parse(config->devargs, &options);
	if (!fd)
		fd = make_interface(&options, config->mtu);
	if (fd < 0)
		return fd;
	*tap = (struct tap){.fd = fd, .port = index, .alive = true};
	int error = make_port(config, index, tap);
	if (!error)
		error = tap_thread_add(tap);
	if (error) {
		dispose(tap);
		return error;
	}
	tap->open = true;
	ports_have_thread[index] = true;
	return 0;
}

void tap_close(uint16_t index)
{
	if (!taps[index].open)
		return;
	ports_have_thread[index] = false;
	tap_thread_remove(&taps[index]);
	dispose(&taps[index]);
}

bool tap_is_open(uint16_t index)
{
	return taps[index].open;
}

int tap_set_carrier(uint16_t index, bool up)
{
	int on = up;
	return ioctl(taps[index].fd, TUNSETCARRIER, &on) ? -errno : 0;
}

bool tap_is_alive(uint16_t index)
{
	return __atomic_load_n(&taps[index].alive, __ATOMIC_RELAXED);
}

void tap_set_poller(uint16_t index, uint16_t worker)
{
	__atomic_store_n(&taps[index].poller, worker, __ATOMIC_RELAXED);
}

bool tap_has_frames(uint16_t index)
{
	return !rte_ring_empty(taps[index].from_host);
}

void tap_counters(uint16_t index, struct ws_port_counters *out)
{
	const struct tap_counts *now = &taps[index].counts;
	*out = (struct ws_port_counters){
		.rx_packets = now->rx_packets,
		.rx_bytes = now->rx_bytes,
		.tx_packets = now->tx_packets,
		.tx_bytes = now->tx_bytes,
		.rx_missed = now->rx_missed,
		.tx_errors = now->tx_errors,
		.rx_no_buffer = now->rx_no_buffer,
	};
}
