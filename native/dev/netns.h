/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function inside another network namespace and returns to the original one. */
#pragma once

enum { NETNS_NAME_LEN = 128 };

/* The calling thread's namespace before, to return to; -1: unchanged. */
struct netns_visit {
	int home;
};

/*
 * Move the calling thread into the namespace. "" leaves it unchanged, a name is looked up where `ip
 * netns` keeps them, and a path is used as given. Returns a negative errno with an error text on
 * failure.
 */
int netns_enter(const char *netns, struct netns_visit *visit);
void netns_leave(struct netns_visit *visit);
