/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/helper_thread.h"

#include "dev/error.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

int helper_thread_open(struct helper_thread *helper)
{
	if (helper->epoll >= 0)
		return 0;
	helper->epoll = epoll_create1(EPOLL_CLOEXEC);
	int error = helper->epoll < 0 ? -errno : bell_open(&helper->bell);
	if (!error)
		error = helper_thread_watch(helper, helper->bell.fd, NULL);
	if (!error)
		return 0;
	helper_thread_close(helper);
	return fail(error, "the thread of %ss cannot wait for events: %s", helper->serves,
				strerror(-error));
}

void helper_thread_close(struct helper_thread *helper)
{
	if (helper->epoll >= 0)
		close(helper->epoll);
	helper->epoll = -1;
	bell_close(&helper->bell);
}

int helper_thread_watch(struct helper_thread *helper, int fd, void *source)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
	return epoll_ctl(helper->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static void *begin(void *argument)
{
	const struct helper_thread *helper = argument;
	pthread_setname_np(pthread_self(), helper->name);
	helper->run();
	return NULL;
}

int helper_thread_start(struct helper_thread *helper)
{
	helper->must_stop = false;
	/* Only the main thread handles signals. */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&helper->thread, NULL, begin, helper);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	helper->is_running = !error;
	return error
			   ? fail(-error, "the %s' thread cannot be made: %s", helper->serves, strerror(error))
			   : 0;
}

void helper_thread_stop(struct helper_thread *helper)
{
	if (helper->is_running) {
		__atomic_store_n(&helper->must_stop, true, __ATOMIC_SEQ_CST);
		helper_thread_wake(helper);
		pthread_join(helper->thread, NULL);
	}
	helper->is_running = false;
}
