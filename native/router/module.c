/* SPDX-License-Identifier: Apache-2.0 */
#include "router/module.h"

#include "dev/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct router_module *registered;
static struct router_module *sorted[MODULES_MAX];
static int registered_count, sorted_count;

void router_module_register(struct router_module *module)
{
	module->index = (uint8_t)registered_count++;
	module->next = registered;
	registered = module;
}

static bool is_sorted(const struct router_module *module)
{
	for (int i = 0; i < sorted_count; i++)
		if (sorted[i] == module)
			return true;
	return false;
}

static bool names(const struct router_module *module, const char *name)
{
	for (int i = 0; i < MODULE_MAX_AFTER && module->after[i]; i++)
		if (!strcmp(module->after[i], name))
			return true;
	return false;
}

/* True if a module that must run before it is not sorted yet. */
static bool waits(const struct router_module *module)
{
	for (const struct router_module *other = registered; other; other = other->next)
		if (!is_sorted(other) &&
			(names(module, other->name) || (other->is_trunk && !module->is_trunk)))
			return true;
	return false;
}

/* The first by name of the modules that can be next; NULL if there is none. */
static struct router_module *choose(void)
{
	struct router_module *best = NULL;
	for (struct router_module *module = registered; module; module = module->next)
		if (!is_sorted(module) && !waits(module) && (!best || strcmp(module->name, best->name) < 0))
			best = module;
	return best;
}

static int check(void)
{
	if (registered_count > MODULES_MAX)
		return fail(-E2BIG, "%d modules; a router has %d at most", registered_count, MODULES_MAX);
	for (const struct router_module *module = registered; module; module = module->next)
		for (const struct router_module *other = module->next; other; other = other->next)
			if (!strcmp(module->name, other->name))
				return fail(-EEXIST, "two modules are called %s", module->name);
	return 0;
}

static int sort(void)
{
	if (registered_count == sorted_count)
		return 0;
	int error = check();
	for (sorted_count = 0; !error && sorted_count < registered_count;) {
		struct router_module *next = choose();
		if (!next)
			error = fail(-ELOOP, "the order of modules is a loop");
		else
			sorted[sorted_count++] = next;
	}
	return error;
}

static int make_state(struct ws_router *router, const struct router_module *module)
{
	size_t size = RTE_ALIGN_CEIL(module->state_size, RTE_CACHE_LINE_SIZE);
	void *state = aligned_alloc(RTE_CACHE_LINE_SIZE, size);
	if (!state)
		return fail(-ENOMEM, "no memory for the module %s", module->name);
	memset(state, 0, size);
	module_set_state(router, module, state);
	return 0;
}

int modules_make(struct ws_router *router)
{
	int error = sort();
	for (int i = 0; i < sorted_count && !error; i++) {
		if (sorted[i]->state_size)
			error = make_state(router, sorted[i]);
		if (!error && sorted[i]->make)
			error = sorted[i]->make(router);
	}
	return error;
}

void modules_poll(struct ws_router *router)
{
	for (int i = 0; i < sorted_count; i++)
		if (sorted[i]->poll)
			sorted[i]->poll(router);
}

void modules_close(struct ws_router *router)
{
	for (int i = sorted_count; i-- > 0;)
		if (sorted[i]->close)
			sorted[i]->close(router);
}

void modules_free(struct ws_router *router)
{
	for (int i = sorted_count; i-- > 0;) {
		void *state = module_state(router, sorted[i]);
		if (sorted[i]->free && (state || !sorted[i]->state_size))
			sorted[i]->free(router);
		free(module_state(router, sorted[i]));
		module_set_state(router, sorted[i], NULL);
	}
}
