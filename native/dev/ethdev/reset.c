/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/ethdev/reset.h"

#include "dev/link.h"
#include "wirespeed/limits.h"

#include <rte_ethdev.h>

static bool wanted[WS_MAX_PORTS];

/* Runs on DPDK's interrupt thread; the main thread resets the device. */
static int port_event(uint16_t id, enum rte_eth_event_type event, void *port, void *result)
{
	(void)id, (void)event, (void)result;
	__atomic_store_n(&wanted[(uintptr_t)port], true, __ATOMIC_RELEASE);
	links_changed();
	return 0;
}

void reset_watch(uint16_t port, uint16_t id)
{
	wanted[port] = false;
	rte_eth_dev_callback_register(id, RTE_ETH_EVENT_INTR_RESET, port_event,
								  (void *)(uintptr_t)port);
}

void reset_unwatch(uint16_t port, uint16_t id)
{
	rte_eth_dev_callback_unregister(id, RTE_ETH_EVENT_INTR_RESET, port_event,
									(void *)(uintptr_t)port);
	wanted[port] = false;
}

bool reset_is_wanted(uint16_t port)
{
	return __atomic_load_n(&wanted[port], __ATOMIC_ACQUIRE);
}

bool reset_take(uint16_t port)
{
	return __atomic_exchange_n(&wanted[port], false, __ATOMIC_ACQ_REL);
}
