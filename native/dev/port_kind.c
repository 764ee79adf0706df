/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/port_kind.h"

#include <string.h>

static struct port_kind_entry *entries;

void port_kind_register(struct port_kind_entry *entry)
{
	entry->next = entries;
	entries = entry;
}

const struct port_kind *port_kind_of(const char *devargs)
{
	const struct port_kind *found = NULL;
	size_t longest = 0;
	for (const struct port_kind_entry *entry = entries; entry; entry = entry->next) {
		size_t length = strlen(entry->kind->prefix);
		if (strncmp(devargs, entry->kind->prefix, length) || (found && length <= longest))
			continue;
		found = entry->kind;
		longest = length;
	}
	return found;
}
