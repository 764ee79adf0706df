/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/bell.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int bell_open(struct bell *bell)
{
	*bell = (struct bell){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	return bell->fd < 0 ? -errno : 0;
}

void bell_close(struct bell *bell)
{
	if (bell->fd >= 0)
		close(bell->fd);
	*bell = (struct bell){.fd = -1};
}

void bell_ignore(struct bell *bell)
{
	uint64_t count;
	__atomic_store_n(&bell->listening, 0, __ATOMIC_RELAXED);
	(void)!read(bell->fd, &count, sizeof(count));
}

void bell_strike(struct bell *bell)
{
	const uint64_t one = 1;
	(void)!write(bell->fd, &one, sizeof(one));
}
