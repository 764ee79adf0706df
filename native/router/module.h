/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules of the router: a feature registers itself once at the foot of a control file, and is
 * created, polled and freed with the router. Main thread only.
 *
 * Order: the trunk's modules precede those of features; both are sorted by name. A module follows
 * those that it names in `after`; names that are not registered are ignored. Frees and closes run
 * in reverse order.
 */
#pragma once

#include "router/router.h"

enum { MODULE_MAX_AFTER = 4 };

/* NULL: nothing to do. `close` and `free` also run for a router that could not be created; `free`
 * only if the module's state existed. */
struct router_module {
	const char *name;
	const char *after[MODULE_MAX_AFTER];
	bool is_trunk;     /* features depend on it */
	size_t state_size; /* size of a state that is allocated, zeroed, before `make` */
	int (*make)(struct ws_router *router); /* before the ports' interfaces and the workers exist */
	void (*close)(struct ws_router *router); /* workers have stopped; their graphs still exist */
	void (*poll)(struct ws_router *router);  /* called by ws_router_poll */
	void (*free)(struct ws_router *router);  /* workers are gone */
	struct router_module *next;
	uint8_t index; /* index of its state */
};

void router_module_register(struct router_module *module);

/* The module's state for the router: NULL before module_set_state. A node reads it once per frame.
 */
static inline void *module_state(const struct ws_router *router, const struct router_module *module)
{
	return __atomic_load_n(&router->state[module->index], __ATOMIC_ACQUIRE);
}

/* Set the state of a module without state_size: memory from malloc, which is freed after the
 * module's `free`. Allocate it when it is first needed, and store it before a graph has the nodes
 * that read it. */
static inline void module_set_state(struct ws_router *router, const struct router_module *module,
									void *state)
{
	__atomic_store_n(&router->state[module->index], state, __ATOMIC_RELEASE);
}

/* Negative errno with an error text: of a module's `make`, or if the modules cannot be ordered. */
int modules_make(struct ws_router *router);
void modules_close(struct ws_router *router);
void modules_poll(struct ws_router *router);
void modules_free(struct ws_router *router);

/* Placed at the foot of a control file, since node files are compiled once per level; the other
 * arguments are members. Other files use the symbol of an extern module. */
#define ROUTER_MODULE_EXTERN(module, ...)                                                          \
	struct router_module module = {__VA_ARGS__};                                                   \
	__attribute__((constructor)) static void module_register_##module(void)                        \
	{                                                                                              \
		router_module_register(&(module));                                                         \
	}
#define ROUTER_MODULE(module, ...) static ROUTER_MODULE_EXTERN(module, __VA_ARGS__)
