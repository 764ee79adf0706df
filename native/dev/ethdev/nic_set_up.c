/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/nic_set_up.h"

#include "dev/error.h"
#include "dev/ethdev/device.h"
#include "dev/ethdev/longest.h"
#include "dev/link.h"
#include "dev/pool.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <string.h>

enum { KEY_LEN = 64 };

/* A single key for all NICs, so that a flow's queue does not depend on the NIC. Each NIC takes as
 * many bytes as it supports. */
static uint8_t hash_key[KEY_LEN] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa, 0x93, 0x1f, 0xd5, 0x7c, 0x58, 0xe1, 0x0b, 0x6f,
	0xc4, 0x26, 0x9d, 0x73, 0x3e, 0x85, 0xa9, 0x12, 0x64, 0xbd, 0x07, 0xf8, 0x4b, 0xd2, 0x39, 0xa6,
};

static uint32_t buffer_capacity(void)
{
	return rte_pktmbuf_data_room_size(ports_pool()) - RTE_PKTMBUF_HEADROOM;
}

static struct nic_wish wish_of(const struct port *port, uint16_t mtu)
{
	return (struct nic_wish){
		.rx_queues = port->rx_queues,
		.mtu = mtu,
		.capacity = buffer_capacity(),
		.chains = port->config.chains,
	};
}

/* ---- Configuring ---- */

static struct rte_eth_conf conf_of(const struct port *port, const struct rte_eth_dev_info *info,
								   const struct nic_offloads *offloads, uint16_t mtu)
{
	const struct nic_policy *policy = &ethdev_device_of(port)->policy;
	struct rte_eth_conf conf = {
		.rxmode.offloads = offloads->rx,
		.txmode.offloads = offloads->tx,
		.intr_conf.lsc = policy->tells_of_links,
		/* Interrupts of RX queues, for workers that sleep. Drivers without them may refuse the
		 * request. */
		.intr_conf.rxq = 1,
	};
	/* Other drivers have no MTU to set, and some refuse a value. */
	if (policy->is_pci)
		conf.rxmode.mtu = mtu;
	if (offloads->rss) {
		conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
		conf.rx_adv_conf.rss_conf.rss_hf = offloads->rss;
		if (info->hash_key_size && info->hash_key_size <= KEY_LEN) {
			conf.rx_adv_conf.rss_conf.rss_key = hash_key;
			conf.rx_adv_conf.rss_conf.rss_key_len = info->hash_key_size;
		}
	}
	return conf;
}

/* Some drivers refuse a part of the offloads that they offer: configure again without that part. */
static int configure(struct port *port, const struct rte_eth_dev_info *info,
					 struct nic_offloads *offloads, uint16_t mtu)
{
	uint16_t id = ethdev_device_of(port)->id;
	int error;
	do {
		struct rte_eth_conf conf = conf_of(port, info, offloads, mtu);
		error = rte_eth_dev_configure(id, port->rx_queues, port->tx_queues, &conf);
		conf.intr_conf.rxq = 0;
		if (error)
			error = rte_eth_dev_configure(id, port->rx_queues, port->tx_queues, &conf);
	} while (error && nic_hash_less(offloads));
	if (error)
		return fail(error, "port %s takes no %u RX and %u TX queues: %s", port->config.name,
					port->rx_queues, port->tx_queues, rte_strerror(-error));
	return 0;
}

/* The node of the device for its memory; any node if that is unknown. */
static unsigned int socket_of(uint16_t id)
{
	int socket = rte_eth_dev_socket_id(id);
	return socket < 0 ? (unsigned int)SOCKET_ID_ANY : (unsigned int)socket;
}

static int set_queues_up(struct port *port, const struct rte_eth_dev_info *info,
						 const struct nic_offloads *offloads)
{
	uint16_t id = ethdev_device_of(port)->id;
	unsigned int socket = socket_of(id);
	struct rte_eth_rxconf rx = info->default_rxconf;
	struct rte_eth_txconf tx = info->default_txconf;
	rx.offloads = offloads->rx;
	tx.offloads = offloads->tx;
	int error = rte_eth_dev_adjust_nb_rx_tx_desc(id, &port->rx_descriptors, &port->tx_descriptors);
	for (uint16_t q = 0; !error && q < port->rx_queues; q++)
		error = rte_eth_rx_queue_setup(id, q, port->rx_descriptors, socket, &rx,
									   pool_near((int)socket));
	for (uint16_t q = 0; !error && q < port->tx_queues; q++)
		error = rte_eth_tx_queue_setup(id, q, port->tx_descriptors, socket, &tx);
	if (error)
		return fail(error, "port %s takes no queues of %u RX and %u TX descriptors: %s",
					port->config.name, port->rx_descriptors, port->tx_descriptors,
					rte_strerror(-error));
	return 0;
}

static int check_mtu(const struct port *port, const struct rte_eth_dev_info *info, uint16_t mtu)
{
	const struct nic_policy *policy = &ethdev_device_of(port)->policy;
	uint32_t capacity = buffer_capacity(), frame = nic_frame_bytes(policy, mtu);
	uint16_t most = nic_most_mtu(policy, info);
	if (!policy->keeps_to_mtu)
		return 0;
	if (most && mtu > most)
		return fail(-EINVAL, "port %s: its driver takes no MTU of %u; %u at most",
					port->config.name, mtu, most);
	if (frame <= capacity || policy->scatters)
		return 0;
	return fail(
		-EMSGSIZE,
		"port %s: packets of %u bytes need buffers of %u and those there are hold %u; start "
		"with larger ones (buffers { default data-size %u } in startup.conf)",
		port->config.name, mtu, frame, capacity, (frame + 255) / 256 * 256);
}

/* -ENOTSUP is not an error: the driver has no such call. */
static int refused_mtu(const struct port *port, const struct rte_eth_dev_info *info, uint16_t mtu,
					   int error)
{
	if (!error || error == -ENOTSUP)
		return 0;
	if (info->max_mtu && mtu > info->max_mtu)
		return fail(error, "port %s: its driver takes no MTU of %u; %u at most", port->config.name,
					mtu, info->max_mtu);
	return fail(error, "port %s: its driver takes no MTU of %u: %s", port->config.name, mtu,
				rte_strerror(-error));
}

static int set_up_for(struct port *port, const struct rte_eth_dev_info *info, uint16_t mtu)
{
	struct ethdev_device *device = ethdev_device_of(port);
	const struct nic_wish wish = wish_of(port, mtu);
	struct nic_offloads offloads = nic_offloads_of(&device->policy, info, &wish);
	int error = configure(port, info, &offloads, mtu);
	if (!error)
		error = longest_check(port, info);
	if (!error)
		error = set_queues_up(port, info, &offloads);
	device->active = error ? (struct nic_offloads){0} : offloads;
	device->has_queues = !error;
	return error;
}

int nic_set_up(struct port *port)
{
	const struct ws_port_config *config = &port->config;
	struct ethdev_device *device = ethdev_device_of(port);
	struct rte_eth_dev_info info;
	int error = rte_eth_dev_info_get(device->id, &info);
	if (error)
		return fail(error, "port %s: its driver does not report its limits: %s", config->name,
					rte_strerror(-error));
	device->policy = nic_policy_of(&info);
	port->stops = device->policy.restarts;
	port->filters_groups = device->policy.filters_groups;
	port->rx_queues = RTE_MAX(1, RTE_MIN(config->rx_queues, info.max_rx_queues));
	port->tx_queues = RTE_MAX(1, RTE_MIN(config->tx_queues, info.max_tx_queues));
	port->rx_descriptors = config->rx_descriptors;
	port->tx_descriptors = config->tx_descriptors;
	error = check_mtu(port, &info, port->mtu);
	if (!error)
		error = set_up_for(port, &info, port->mtu);
	/* Some drivers need the MTU set by a call as well (mlx5's kernel driver). */
	if (!error && device->policy.keeps_to_mtu && port->mtu != RTE_ETHER_MTU)
		error = refused_mtu(port, &info, port->mtu, rte_eth_dev_set_mtu(device->id, port->mtu));
	return error;
}

void nic_spread(const struct port *port)
{
	const struct ethdev_device *device = ethdev_device_of(port);
	struct rte_eth_rss_reta_entry64 table[RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE];
	struct rte_eth_dev_info info;
	if (!device->active.rss || rte_eth_dev_info_get(device->id, &info))
		return;
	memset(table, 0, sizeof(table));
	uint16_t size = info.reta_size;
	if (!size || size > RTE_ETH_RSS_RETA_SIZE_512)
		return;
	for (uint16_t i = 0; i < size; i++) {
		struct rte_eth_rss_reta_entry64 *group = &table[i / RTE_ETH_RETA_GROUP_SIZE];
		group->mask |= 1ULL << i % RTE_ETH_RETA_GROUP_SIZE;
		group->reta[i % RTE_ETH_RETA_GROUP_SIZE] = i % port->rx_queues;
	}
	/* Without this call the driver distributes packets by its own rule. */
	rte_eth_dev_rss_reta_update(device->id, table, size);
}

/* ---- The MTU ---- */

/* The new MTU may need other offloads. */
static int change_mtu(struct port *port, const struct rte_eth_dev_info *info, uint16_t mtu)
{
	struct ethdev_device *device = ethdev_device_of(port);
	const struct nic_wish wish = wish_of(port, mtu);
	struct nic_offloads offloads = nic_offloads_of(&device->policy, info, &wish);
	bool differs = device->policy.restarts && offloads.rx != device->active.rx;
	int error = differs ? set_up_for(port, info, mtu) : 0;
	if (!error)
		error = rte_eth_dev_set_mtu(device->id, mtu);
	if (error && differs)
		set_up_for(port, info, port->mtu);
	return error;
}

/* Most drivers refuse a change while they run, some also while their RX queues are configured. */
static int set_stopped(struct port *port, const struct rte_eth_dev_info *info, uint16_t mtu)
{
	bool runs = port->started && !port->stopped;
	if (!runs || !ethdev_device_of(port)->policy.restarts)
		return change_mtu(port, info, mtu);
	int error = port->kind->set_running(port, false);
	if (error)
		return error;
	int refused = change_mtu(port, info, mtu);
	error = port->kind->set_running(port, true);
	return error ? error : refused;
}

int nic_set_mtu(struct port *port, uint16_t mtu)
{
	struct ethdev_device *device = ethdev_device_of(port);
	struct rte_eth_dev_info info;
	uint16_t now = 0;
	int error = rte_eth_dev_info_get(device->id, &info);
	if (error)
		return fail(error, "port %s: its driver does not report its limits: %s", port->config.name,
					rte_strerror(-error));
	error = check_mtu(port, &info, mtu);
	if (error)
		return error;
	rte_eth_dev_get_mtu(device->id, &now);
	if (now == mtu)
		return 0;
	error = set_stopped(port, &info, mtu);
	/* The driver refuses more than 1500 whatever the size of its ring, which was made for the
	 * port's MTU. */
	if (error && device->policy.is_af_packet && !port->started)
		error = link_raise_mtu(port->index, mtu);
	return refused_mtu(port, &info, mtu, error);
}

/* ---- Reset ---- */

int nic_reset(struct port *port)
{
	uint16_t id = ethdev_device_of(port)->id;
	bool runs = port->started && !port->stopped;
	if (runs)
		rte_eth_dev_stop(id);
	port->stopped = true;
	int error = rte_eth_dev_reset(id);
	/* Drivers without a reset function are only configured again. */
	if (error && error != -ENOTSUP)
		return fail(error, "port %s: its device cannot be reset: %s", port->config.name,
					rte_strerror(-error));
	error = nic_set_up(port);
	if (!error)
		port->kind->set_mac(port, &port->mac);
	return !error && runs ? port->kind->set_running(port, true) : error;
}
