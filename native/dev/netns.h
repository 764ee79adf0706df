/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function inside another network namespace and returns to the own one. */
#pragma once

enum { NETNS_NAME_LEN = 128 };

/* The namespace that the calling thread was in before, to go back to; -1 when it did not move. */
struct netns_visit {
	int home;
};

/*
 * Move the calling thread into the namespace: "" stays where it is, a name is looked up where `ip
 * netns` keeps them, and a path is taken as it is. A negative errno with its line on failure.
 */
int netns_enter(const char *netns, struct netns_visit *visit);
void netns_leave(struct netns_visit *visit);
