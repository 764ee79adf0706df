/* SPDX-License-Identifier: Apache-2.0 */
/* DPDK 22.11 marks the removal events as experimental; they have not changed since 18.05. */
#define ALLOW_EXPERIMENTAL_API
#include "dev/ethdev/removal.h"

#include "dev/link.h"
#include "wirespeed/limits.h"

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <stdio.h>

static struct {
	char device[RTE_DEV_NAME_MAX_LEN]; /* empty: not watched */
	bool goes;
} watched[WS_MAX_PORTS];

static void goes(uint16_t port)
{
	__atomic_store_n(&watched[port].goes, true, __ATOMIC_RELEASE);
	links_changed();
}

/* Runs on DPDK's interrupt thread; the main thread closes the port. */
static void device_event(const char *device, enum rte_dev_event_type event, void *port)
{
	(void)device;
	if (event == RTE_DEV_EVENT_REMOVE)
		goes((uint16_t)(uintptr_t)port);
}

/* Some drivers notice by themselves that their device no longer answers. */
static int port_event(uint16_t id, enum rte_eth_event_type event, void *port, void *result)
{
	(void)id, (void)event, (void)result;
	goes((uint16_t)(uintptr_t)port);
	return 0;
}

void removal_watch(uint16_t port, uint16_t id)
{
	struct rte_eth_dev_info info;
	if (rte_eth_dev_info_get(id, &info) || !info.device)
		return;
	void *argument = (void *)(uintptr_t)port;
	watched[port].goes = false;
	snprintf(watched[port].device, sizeof(watched[port].device), "%s", rte_dev_name(info.device));
	rte_dev_event_callback_register(watched[port].device, device_event, argument);
	rte_eth_dev_callback_register(id, RTE_ETH_EVENT_INTR_RMV, port_event, argument);
}

void removal_unwatch(uint16_t port)
{
	if (*watched[port].device)
		rte_dev_event_callback_unregister(watched[port].device, device_event,
										  (void *)(uintptr_t)port);
	*watched[port].device = '\0';
	watched[port].goes = false;
}

bool removal_is_wanted(uint16_t port)
{
	return __atomic_load_n(&watched[port].goes, __ATOMIC_ACQUIRE);
}
