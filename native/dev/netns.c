/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/netns.h"

#include "dev/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int netns_enter(const char *netns, struct netns_visit *visit)
{
	char path[NETNS_NAME_LEN + 16];
	visit->home = -1;
	if (!netns[0])
		return 0;
	snprintf(path, sizeof(path), "%s%s", netns[0] == '/' ? "" : "/run/netns/", netns);
	int there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0)
		return fail(-errno, "there is no network namespace %s (%s: %s); make it with: ip netns add",
					netns, path, strerror(errno));
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int error = home < 0 || setns(there, CLONE_NEWNET) ? -errno : 0;
	close(there);
	if (error) {
		if (home >= 0)
			close(home);
		return fail(error, "network namespace %s cannot be entered: %s", netns, strerror(-error));
	}
	visit->home = home;
	return 0;
}

void netns_leave(struct netns_visit *visit)
{
	if (visit->home < 0)
		return;
	/* The thread came from this namespace, so the return must succeed; otherwise everything after
	 * it would happen in the wrong one. */
	if (setns(visit->home, CLONE_NEWNET))
		abort();
	close(visit->home);
	visit->home = -1;
}
