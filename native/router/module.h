/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules of the router: a feature registers itself at the foot of a control file, once, and is
 * made, polled and freed with the router. Main thread only.
 *
 * Order: by name, a module after those that it names in `after`; names that are not registered are
 * ignored. Frees and closes run in reverse.
 */
#ifndef ROUTER_MODULE_H
#define ROUTER_MODULE_H

struct ws_router;

enum { MODULE_MAX_AFTER = 4, MODULES_MAX = 64 };

/* NULL: nothing to do. `close` and `free` also run for a router whose making failed. */
struct router_module {
	const char *name;
	const char *after[MODULE_MAX_AFTER];
	int (*make)(struct ws_router *router);   /* before interfaces, tables and workers */
	void (*close)(struct ws_router *router); /* workers have stopped, their graphs are there */
	void (*poll)(struct ws_router *router);  /* in ws_router_poll */
	void (*free)(struct ws_router *router);  /* workers are gone, interfaces and tables are there */
	struct router_module *next;
};

void router_module_register(struct router_module *module);

/* Negative errno with its line: of a module's `make`, or when the modules have no order. */
int modules_make(struct ws_router *router);
void modules_close(struct ws_router *router);
void modules_poll(struct ws_router *router);
void modules_free(struct ws_router *router);

/* At the foot of a control file; node files are compiled once per level. */
#define ROUTER_MODULE(module)                                                                      \
	__attribute__((constructor)) static void module_register_##module(void)                        \
	{                                                                                              \
		router_module_register(&(module));                                                         \
	}

#endif
