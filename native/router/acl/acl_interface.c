/* SPDX-License-Identifier: Apache-2.0 */
/* ACLs of interfaces. Their nodes are in the graph while an interface has ACLs. */
#include "dev/error.h"
#include "dev/rcu.h"
#include "router/acl/acl_session.h"
#include "router/acl/acl_table.h"
#include "router/interface/interface_change.h"
#include "router/interface/interface_settings.h"
#include "wirespeed/acls.h"

#include <errno.h>

static const char *const input_nodes[] = {"acl-plugin-in-ip4-fa", "acl-plugin-in-ip6-fa",
										  "acl-plugin-in-l2"};
/* Suffix of the names of output nodes. A port has a node of its own; nodes of other kinds serve all
 * interfaces of that kind. */
#define OUTPUT_NODES "-acl-plugin-out"

static int check_interface(const struct ws_router *router, uint16_t index, bool is_output)
{
	int error = router_check_interface(router, index);
	struct graph_feature_on nodes[FEATURES_MAX_OF_OUTPUT];
	if (!error && is_output &&
		!features_of_output(router->interfaces[index].output, OUTPUT_NODES, nodes))
		error = fail(-EINVAL, "%s sends nothing by itself; give its ports the output ACLs",
					 interface_name(router, index));
	return error;
}

static int check_acls(const struct ws_router *router, const uint32_t *acls, uint32_t count)
{
	if (count > WS_MAX_INTERFACE_ACLS)
		return fail(-EINVAL, "%u ACLs; an interface takes at most %d in a direction", count,
					WS_MAX_INTERFACE_ACLS);
	for (uint32_t i = 0; i < count; i++) {
		if (acl_check(router, acls[i]))
			return -ENOENT;
		for (uint32_t k = 0; k < i; k++)
			if (acls[k] == acls[i])
				return fail(-EEXIST, "ACL %u is named twice; name each once", acls[i]);
	}
	return 0;
}

/* True if another interface needs the node of that direction, too. */
static bool is_node_shared(const struct ws_router *router, uint16_t index, bool is_output)
{
	struct acl_list *const *lists = acls_of(router)->lists[is_output ? ACL_OUTPUT : ACL_INPUT];
	for (uint16_t i = 0; i < router->interface_count; i++)
		if (lists[i] && i != index &&
			(!is_output || router->interfaces[i].output == router->interfaces[index].output))
			return true;
	return false;
}

/* Set all nodes, or none. */
static int set_nodes(struct ws_router *router, uint16_t index, bool is_output, bool on)
{
	enum { INPUT_NODES = sizeof(input_nodes) / sizeof(input_nodes[0]) };
	_Static_assert((int)INPUT_NODES <= (int)FEATURES_MAX_OF_OUTPUT, "room for either");
	struct graph_feature_on wanted[FEATURES_MAX_OF_OUTPUT];
	int count = 0;
	if (is_output)
		count = features_of_output(router->interfaces[index].output, OUTPUT_NODES, wanted);
	else
		for (; count < INPUT_NODES; count++)
			wanted[count] = (struct graph_feature_on){input_nodes[count], NO_PORT};
	return features_set_all(router, wanted, count, on);
}

/* The list of another interface with the same ACLs, or a new one; NULL, with an error text, on
 * failure. */
static struct acl_list *find_list(const struct acl_table *table, const uint32_t *acls,
								  uint32_t count)
{
	for (int direction = 0; direction < ACL_DIRECTIONS; direction++)
		for (int i = 0; i < WS_MAX_INTERFACES; i++) {
			struct acl_list *list = table->lists[direction][i];
			if (list && list->acl_count == count &&
				!memcmp(list->acls, acls, count * sizeof(*acls)))
				return list;
		}
	return acl_list_make(table, acls, count, WS_MAX_ACLS, NULL);
}

void acl_reflect_before(struct acl_table *table, uint16_t interface, const struct acl_list *list)
{
	if (list && list->reflects)
		__atomic_store_n(&table->reflects[interface], true, __ATOMIC_RELAXED);
}

void acl_reflect_after(struct acl_table *table, uint16_t interface)
{
	bool reflects = false;
	for (int direction = 0; direction < ACL_DIRECTIONS; direction++) {
		const struct acl_list *list = table->lists[direction][interface];
		reflects |= list && list->reflects;
	}
	__atomic_store_n(&table->reflects[interface], reflects, __ATOMIC_RELAXED);
}

static void put(struct ws_router *router, uint16_t interface, enum acl_direction direction,
				struct acl_list *list)
{
	struct acl_list **place = &acls_of(router)->lists[direction][interface], *old = *place;
	if (list)
		list->users++;
	acl_reflect_before(acls_of(router), interface, list);
	__atomic_store_n(place, list, __ATOMIC_RELEASE);
	rcu_synchronize();
	acl_reflect_after(acls_of(router), interface);
	if (old && old->reflects)
		acl_sessions_judge(router);
	if (old && !--old->users)
		acl_list_free(old);
}

int ws_router_acl_interface_set(struct ws_router *router, uint16_t index, bool is_output,
								const uint32_t *acls, uint32_t count)
{
	int error = check_interface(router, index, is_output && count);
	if (!error)
		error = check_acls(router, acls, count);
	if (error || (!count && !acls_of(router)))
		return error;
	enum acl_direction direction = is_output ? ACL_OUTPUT : ACL_INPUT;
	struct acl_list *list = count ? find_list(acls_of(router), acls, count) : NULL;
	if (count && !list)
		return -ENOMEM;
	/* Before the list is set, and before it is removed: no later step can fail. */
	if (!acls_of(router)->lists[direction][index] != !list &&
		!is_node_shared(router, index, is_output))
		error = set_nodes(router, index, is_output, list != NULL);
	if (error) {
		if (list && !list->users)
			acl_list_free(list);
		return error;
	}
	put(router, index, direction, list);
	return 0;
}

int ws_router_acl_interface(struct ws_router *router, uint16_t index, bool is_output, uint32_t *out)
{
	int error = router_check_interface(router, index);
	if (error || !acls_of(router))
		return error;
	const struct acl_list *list = acls_of(router)->lists[is_output ? ACL_OUTPUT : ACL_INPUT][index];
	if (!list)
		return 0;
	memcpy(out, list->acls, list->acl_count * sizeof(*out));
	return (int)list->acl_count;
}

static int watch_acls(struct ws_router *router, uint16_t index, enum interface_change change)
{
	int error = 0;
	for (int output = 0; change == INTERFACE_LEAVES && output < ACL_DIRECTIONS && !error; output++)
		error = ws_router_acl_interface_set(router, index, output, NULL, 0);
	return error;
}
INTERFACE_WATCH(watch_acls)
