/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps that the kernel refuses, aborts or leaves incomplete: none of them deletes a route. A real
 * kernel does this when it is busy or short of memory, which a test cannot cause. So the socket is
 * one end of a pair, and the test acts as the kernel at the other end.
 */
#include "cmocka_all.h"
#include "linux/dumps.h"
#include "linux_messages.h"
#include "wirespeed/linux.h"
#include "wirespeed/neighbors.h"
#include "wirespeed/routes.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { E0 = 10 };

static int kernel_end = -1; /* other end of the first socket, for dumps */
static uint32_t told_count, removed_count;

/* ---- Replacements for functions of the system and the router */

int socket(int domain, int type, int protocol)
{
	int ends[2];
	(void)domain, (void)protocol;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | (type & ~SOCK_RAW), 0, ends), 0);
	if (kernel_end < 0)
		kernel_end = ends[1];
	else
		close(ends[1]);
	return ends[0];
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	(void)fd, (void)address, (void)length;
	return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	(void)fd, (void)level, (void)name, (void)value, (void)length;
	return 0;
}

int ws_router_routes_change(struct ws_router *router, const struct ws_route_change *changes,
							uint32_t count, int32_t *results)
{
	(void)router;
	told_count += count;
	for (uint32_t i = 0; i < count; i++) {
		removed_count += changes[i].is_removal;
		results[i] = 0;
	}
	return 0;
}

int ws_router_neighbor_follow(struct ws_router *router, uint16_t interface,
							  const struct ws_neighbor_news *news)
{
	(void)router, (void)interface, (void)news;
	return 0;
}

/* ---- The kernel */

static struct ws_linux *host;
static struct nlmsghdr asked;

static void answer(const struct nlmsghdr *message, uint16_t flags)
{
	uint8_t copy[4096];
	struct nlmsghdr *header = (void *)copy;
	memcpy(copy, message, message->nlmsg_len);
	header->nlmsg_seq = asked.nlmsg_seq;
	header->nlmsg_flags |= flags;
	assert_int_equal(send(kernel_end, copy, header->nlmsg_len, 0), header->nlmsg_len);
}

static void answer_number(uint16_t type, int32_t number, uint16_t flags)
{
	struct {
		struct nlmsghdr header;
		int32_t number;
	} message = {{.nlmsg_len = sizeof(message), .nlmsg_type = type}, number};
	answer(&message.header, flags);
}

/* Take the next request for a dump: the family if it is for routes, otherwise 0. False if there is
 * none. */
static bool is_asked(uint8_t *family)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
	} request;
	if (recv(kernel_end, &request, sizeof(request), MSG_DONTWAIT) < 0)
		return false;
	asked = request.header;
	*family = asked.nlmsg_type == RTM_GETROUTE ? request.route.rtm_family : 0;
	return true;
}

static void tell_route(uint16_t flags)
{
	const struct route_spec route = {
		.prefix = "10.0.0.0", .length = 8, .paths = {{E0, "192.0.2.1"}}};
	answer(route_message(RTM_NEWROUTE, &route), flags);
}

/* Reply to all dumps that are due; the dump of IPv4 routes contains the route. */
static void serve(void)
{
	uint8_t family;
	for (ws_linux_poll(host); is_asked(&family); ws_linux_poll(host)) {
		if (family == AF_INET)
			tell_route(0);
		answer_number(NLMSG_DONE, 0, 0);
	}
}

/* Reply until a dump of IPv4 routes is requested. */
static void serve_up_to_routes(void)
{
	uint8_t family = AF_UNSPEC;
	for (ws_linux_poll(host); is_asked(&family) && family != AF_INET; ws_linux_poll(host))
		answer_number(NLMSG_DONE, 0, 0);
	assert_int_equal(family, AF_INET);
}

static struct ws_linux_stats stats(void)
{
	struct ws_linux_stats now;
	ws_linux_stats(host, &now);
	return now;
}

static int begin(void **state)
{
	(void)state;
	told_count = removed_count = 0;
	host = ws_linux_open(NULL, "");
	assert_non_null(host);
	assert_int_equal(ws_linux_pair(host, E0, 0), 0);
	serve();
	assert_int_equal(stats().routes, 1);
	assert_int_equal(told_count, 1);
	ws_linux_pair(host, E0, 0); /* everything is read again */
	serve_up_to_routes();
	return 0;
}

static int end(void **state)
{
	(void)state;
	ws_linux_close(host, false);
	close(kernel_end);
	kernel_end = -1;
	return 0;
}

static void assert_nothing_is_taken_back(void)
{
	ws_linux_poll(host);
	assert_int_equal(removed_count, 0);
	assert_int_equal(stats().routes, 1);
	assert_int_equal(stats().failed_dumps, 1);
	assert_true(stats().is_syncing);
}

/* The pause is over: request a new dump, as after a change of pairs, but without news. */
static void assert_it_is_made_again(void)
{
	/* The first one serves an earlier request; its end starts a pause of its own. */
	for (int i = 0; i < 2; i++) {
		ws_linux_pair(host, E0, 0);
		serve();
	}
	assert_int_equal(removed_count, 0);
	assert_int_equal(stats().routes, 1);
	assert_false(stats().is_syncing);
}

static void an_error_at_the_end_of_a_dump(void **state)
{
	(void)state;
	answer_number(NLMSG_DONE, -ENOBUFS, 0);
	assert_nothing_is_taken_back();
	assert_it_is_made_again();
}

static void a_refused_dump(void **state)
{
	(void)state;
	answer_number(NLMSG_ERROR, -EBUSY, 0);
	assert_nothing_is_taken_back();
	assert_it_is_made_again();
}

/* A kernel before 5.3 has no next-hop objects: the dump is not requested again and again. */
static void a_kernel_without_nexthop_objects(void **state)
{
	(void)state;
	uint8_t family;
	uint32_t asked_for = 0;
	answer_number(NLMSG_DONE, 0, 0);
	ws_linux_pair(host, E0, 0);
	for (ws_linux_poll(host); is_asked(&family); ws_linux_poll(host)) {
		bool is_of_objects = asked.nlmsg_type == RTM_GETNEXTHOP;
		asked_for += is_of_objects;
		if (family == AF_INET)
			tell_route(0);
		answer_number(is_of_objects ? NLMSG_ERROR : NLMSG_DONE, is_of_objects ? -EOPNOTSUPP : 0, 0);
	}
	assert_int_equal(asked_for, 1);
	assert_int_equal(stats().failed_dumps, 0);
	ws_linux_pair(host, E0, 0);
	serve();
	assert_int_equal(stats().routes, 1);
	assert_false(stats().is_syncing);
}

static void an_interrupted_dump_is_never_believed(void **state)
{
	(void)state;
	uint8_t family = AF_INET;
	int times = 0;
	do {
		if (family == AF_INET)
			times++;
		answer_number(NLMSG_DONE, 0, family == AF_INET ? NLM_F_DUMP_INTR : 0);
		ws_linux_poll(host);
	} while (is_asked(&family));
	assert_true(times > 2); /* some at once, without a pause */
	assert_int_equal(removed_count, 0);
	assert_int_equal(stats().failed_dumps, times);
	assert_true(stats().is_syncing);
	assert_it_is_made_again();
}

/* A new pair gets all routes, even if dumps fail repeatedly before. */
static void pairs_are_told_after_failures(void **state)
{
	(void)state;
	uint8_t family = AF_INET;
	uint32_t before = told_count;
	answer_number(NLMSG_ERROR, -EBUSY, 0);
	for (ws_linux_poll(host); is_asked(&family); ws_linux_poll(host))
		answer_number(NLMSG_DONE, 0, 0); /* IPv6 */
	for (int i = 0; i < 5000 && !is_asked(&family); i++) {
		usleep(1000);
		ws_linux_poll(host);
	}
	assert_int_equal(family, AF_INET);
	tell_route(0);
	answer_number(NLMSG_DONE, 0, 0);
	ws_linux_poll(host);
	assert_int_equal(told_count, before + 1);
}

static void pauses_double_up_to_a_bound(void **state)
{
	(void)state;
	struct dumps dumps = {0};
	uint64_t now = 0, last = 0;
	for (int i = 0; i < 20; i++) {
		dumps_begin(&dumps, DUMP_LINKS);
		assert_int_equal(dumps_next(&dumps, UINT32_MAX, now), DUMP_COUNT);
		assert_false(dumps_end(&dumps, true, now));
		uint64_t pause = dumps.not_before_ns[DUMP_LINKS] - now;
		assert_true(pause == last * 2 || !last || pause == last);
		assert_int_equal(dumps_next(&dumps, 1u << DUMP_LINKS, now), DUMP_COUNT);
		/* The other dumps do not wait for it. */
		assert_int_equal(dumps_next(&dumps, UINT32_MAX, now), DUMP_ADDRESSES);
		now += last = pause;
		assert_int_equal(dumps_next(&dumps, 1u << DUMP_LINKS, now), DUMP_LINKS);
	}
	assert_true(last < 10000000000u);
	dumps_begin(&dumps, DUMP_LINKS);
	assert_true(dumps_end(&dumps, false, now));
	assert_int_equal(dumps.failures[DUMP_LINKS], 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(an_error_at_the_end_of_a_dump),    TEST(a_refused_dump),
		TEST(a_kernel_without_nexthop_objects), TEST(an_interrupted_dump_is_never_believed),
		TEST(pairs_are_told_after_failures),    cmocka_unit_test(pauses_double_up_to_a_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
