/* SPDX-License-Identifier: Apache-2.0 */
#include "router/observe/observe.h"

#include "dev/rcu.h"
#include "router/observe/pcap.h"
#include "router/observe/pcap_state.h"
#include "router/observe/trace.h"

static void observe(struct graph *graph, struct graph_node *node, void **packets, uint16_t n)
{
	struct ws_router *router = router_of(graph);
	struct pcap *pcap = pcap_is_on(router) ? pcap_of(router) : NULL;
	bool is_traced = router_worker_of(graph)->trace != NULL;
	trace_follow(node, packets, n, is_traced || (pcap && pcap_wants_drops(pcap)));
	if (pcap)
		pcap_see(pcap, graph, node, packets, n);
	if (is_traced)
		trace_packets(graph, node, packets, n);
}

static void set_hook(struct ws_router *router, graph_trace_fn *hook)
{
	for (uint16_t i = 0; i < router->worker_count; i++)
		if (router->workers[i] && router->workers[i]->graph)
			graph_set_trace(router->workers[i]->graph, hook);
}

void observe_pause(struct ws_router *router)
{
	set_hook(router, NULL);
	rcu_synchronize();
}

void observe_resume(struct ws_router *router)
{
	if (pcap_is_on(router) || router->workers[0]->trace)
		set_hook(router, observe);
}

/* Its state is the capture. */
ROUTER_MODULE_EXTERN(observe_module, .name = "observe")
