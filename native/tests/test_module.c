/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: their order, obstacles to it, and their state. */
/* Its list of modules is emptied before each test. cmocka has another `fail`. */
#include "router/module.c" /* NOLINT(bugprone-suspicious-include) */

#include "cmocka_all.h"
#include "wirespeed/runtime.h"

#include <stdio.h>

static struct ws_router *router;
static char calls[256];
static int error_of_make;

static int reset(void **state)
{
	(void)state;
	registered = NULL;
	registered_count = sorted_count = error_of_make = 0;
	calls[0] = '\0';
	router = calloc(1, sizeof(*router));
	return router ? 0 : -1;
}

static int done(void **state)
{
	(void)state;
	free(router);
	return 0;
}

static void note(const char *call)
{
	snprintf(calls + strlen(calls), sizeof(calls) - strlen(calls), "%s ", call);
}

#define CALLS(name)                                                                                \
	static int name##_make(struct ws_router *of)                                                   \
	{                                                                                              \
		(void)of;                                                                                  \
		note("+" #name);                                                                           \
		return error_of_make;                                                                      \
	}                                                                                              \
	static void name##_poll(struct ws_router *of)                                                  \
	{                                                                                              \
		(void)of;                                                                                  \
		note(#name);                                                                               \
	}                                                                                              \
	static void name##_free(struct ws_router *of)                                                  \
	{                                                                                              \
		(void)of;                                                                                  \
		note("-" #name);                                                                           \
	}
CALLS(acl)
CALLS(bond)
CALLS(routes)
#define MODULE(of, ...)                                                                            \
	{                                                                                              \
		.name = #of, .make = of##_make, .close = of##_poll, .poll = of##_poll, .free = of##_free,  \
		__VA_ARGS__                                                                                \
	}

static void a_module_runs_after_those_that_it_names_and_the_trunk_first(void **state)
{
	(void)state;
	static struct router_module acl = MODULE(acl, .after = {"left-out", "bond"}),
								bond = MODULE(bond), routes = MODULE(routes, .is_trunk = true);
	router_module_register(&bond);
	router_module_register(&acl);
	router_module_register(&routes);
	assert_int_equal(modules_make(router), 0);
	modules_poll(router);
	modules_close(router);
	modules_free(router);
	assert_string_equal(calls, "+routes +bond +acl routes bond acl acl bond routes "
							   "-acl -bond -routes ");
}

static void names_decide_where_nothing_else_does(void **state)
{
	(void)state;
	static struct router_module acl = MODULE(acl), bond = MODULE(bond), routes = MODULE(routes);
	router_module_register(&bond);
	router_module_register(&routes);
	router_module_register(&acl);
	assert_int_equal(modules_make(router), 0);
	assert_string_equal(calls, "+acl +bond +routes ");
}

static void a_circle_is_refused(void **state)
{
	(void)state;
	static struct router_module acl = MODULE(acl, .after = {"bond"}),
								bond = MODULE(bond, .after = {"acl"});
	router_module_register(&acl);
	router_module_register(&bond);
	assert_int_equal(modules_make(router), -ELOOP);
	assert_string_equal(ws_error(), "the order of modules is a loop");
	assert_string_equal(calls, "");
}

static void a_name_is_given_once(void **state)
{
	(void)state;
	static struct router_module one = MODULE(acl), other = MODULE(acl);
	router_module_register(&one);
	router_module_register(&other);
	assert_int_equal(modules_make(router), -EEXIST);
	assert_string_equal(ws_error(), "two modules are called acl");
	assert_string_equal(calls, "");
}

static void there_are_no_more_than_have_a_state(void **state)
{
	(void)state;
	static struct router_module many[MODULES_MAX + 1];
	static char names[MODULES_MAX + 1][16];
	for (int i = 0; i <= MODULES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "m%d", i);
		many[i] = (struct router_module){.name = names[i]};
		router_module_register(&many[i]);
	}
	assert_int_equal(modules_make(router), -E2BIG);
	assert_string_equal(ws_error(), "65 modules; a router has 64 at most");
}

static void making_ends_with_the_first_error_and_all_are_freed(void **state)
{
	(void)state;
	static struct router_module acl = MODULE(acl), bond = MODULE(bond);
	static struct router_module routes = MODULE(routes, .state_size = 70);
	router_module_register(&acl);
	router_module_register(&bond);
	router_module_register(&routes);
	error_of_make = -ENOMEM;
	assert_int_equal(modules_make(router), -ENOMEM);
	modules_free(router);
	assert_string_equal(calls, "+acl -bond -acl ");
}

/* The address sanitizer finds a state that is not freed. */
static void the_state_is_the_modules_own_and_freed_with_the_router(void **state)
{
	(void)state;
	static struct router_module acl = MODULE(acl), bond = MODULE(bond);
	static struct router_module routes = MODULE(routes, .state_size = 70);
	router_module_register(&acl);
	router_module_register(&bond);
	router_module_register(&routes);
	assert_int_equal(modules_make(router), 0);
	const uint8_t zero[70] = {0};
	assert_memory_equal(module_state(router, &routes), zero, sizeof(zero));
	assert_null(module_state(router, &acl));
	module_set_state(router, &acl, malloc(8));
	assert_non_null(module_state(router, &acl));
	assert_null(module_state(router, &bond));
	modules_free(router);
	assert_null(module_state(router, &acl));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_module_runs_after_those_that_it_names_and_the_trunk_first,
										reset, done),
		cmocka_unit_test_setup_teardown(names_decide_where_nothing_else_does, reset, done),
		cmocka_unit_test_setup_teardown(a_circle_is_refused, reset, done),
		cmocka_unit_test_setup_teardown(a_name_is_given_once, reset, done),
		cmocka_unit_test_setup_teardown(there_are_no_more_than_have_a_state, reset, done),
		cmocka_unit_test_setup_teardown(making_ends_with_the_first_error_and_all_are_freed, reset,
										done),
		cmocka_unit_test_setup_teardown(the_state_is_the_modules_own_and_freed_with_the_router,
										reset, done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
