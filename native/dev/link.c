/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/link.h"

#include "dev/bell.h"
#include "dev/error.h"
#include "wirespeed/ports.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
	int epoll, netlink, questions, control;
	struct bell bell;
	char names[WS_MAX_PORTS][IFNAMSIZ]; /* empty: not on a Linux interface */
} links = {.epoll = -1, .netlink = -1, .questions = -1, .control = -1, .bell = {.fd = -1}};

static int watch(int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	return epoll_ctl(links.epoll, EPOLL_CTL_ADD, fd, &event);
}

int links_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	links.epoll = epoll_create1(EPOLL_CLOEXEC);
	links.netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
	links.questions = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	links.control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (links.epoll < 0 || links.netlink < 0 || links.questions < 0 || links.control < 0 ||
		bell_open(&links.bell) ||
		bind(links.netlink, (const struct sockaddr *)&address, sizeof(address)) ||
		watch(links.netlink) || watch(links.bell.fd))
		return fail(-errno, "link events cannot be read: %s", strerror(errno));
	bell_listen(&links.bell);
	return 0;
}

void links_close(void)
{
	int *const handles[] = {&links.epoll, &links.netlink, &links.questions, &links.control};
	bell_close(&links.bell);
	for (int i = 0; i < 4; i++) {
		if (*handles[i] >= 0)
			close(*handles[i]);
		*handles[i] = -1;
	}
}

int ws_links_fd(void)
{
	return links.epoll;
}

void links_changed(void)
{
	bell_ring(&links.bell);
}

void links_read(void)
{
	char message[1];
	bell_ignore(&links.bell);
	bell_listen(&links.bell);
	/* Drain the socket: neither the content of the messages nor a lost message matters. */
	while (recv(links.netlink, message, sizeof(message), 0) >= 0 || errno == ENOBUFS)
		;
}

void link_watch(uint16_t port, const char *devargs)
{
	static const char key[] = ",iface=";
	const char *name = strstr(devargs, key);
	bool is_on_linux = !strncmp(devargs, "net_af_packet", strlen("net_af_packet")) ||
					   !strncmp(devargs, "net_af_xdp", strlen("net_af_xdp"));
	if (!name || !is_on_linux)
		return;
	name += strlen(key);
	snprintf(links.names[port], IFNAMSIZ, "%.*s", (int)strcspn(name, ","), name);
}

void link_unwatch(uint16_t port)
{
	*links.names[port] = '\0';
}

int link_mtu(uint16_t port)
{
	struct ifreq request = {0};
	if (!links.names[port][0])
		return -ENOTSUP;
	memcpy(request.ifr_name, links.names[port], sizeof(request.ifr_name));
	return ioctl(links.control, SIOCGIFMTU, &request) ? -errno : request.ifr_mtu;
}

int link_raise_mtu(uint16_t port, uint16_t mtu)
{
	struct ifreq request = {.ifr_mtu = mtu};
	int now = link_mtu(port);
	if (now < 0 || now >= mtu)
		return now < 0 ? now : 0;
	memcpy(request.ifr_name, links.names[port], sizeof(request.ifr_name));
	return ioctl(links.control, SIOCSIFMTU, &request) ? -errno : 0;
}

/* A separate socket, since the other one receives notifications. */
static int64_t ask_losses(int netlink, const char *name)
{
	union {
		struct nlmsghdr header;
		char bytes[16384]; /* Linux's answers are shorter than 8 KiB */
	} message = {0};
	struct nlmsghdr *header = &message.header;
	struct rtattr *attribute =
		(struct rtattr *)(message.bytes + NLMSG_SPACE(sizeof(struct ifinfomsg)));
	header->nlmsg_type = RTM_GETLINK;
	header->nlmsg_flags = NLM_F_REQUEST;
	attribute->rta_type = IFLA_IFNAME;
	attribute->rta_len = (unsigned short)RTA_LENGTH(strlen(name) + 1);
	memcpy(RTA_DATA(attribute), name, strlen(name) + 1);
	header->nlmsg_len = NLMSG_SPACE(sizeof(struct ifinfomsg)) + RTA_ALIGN(attribute->rta_len);
	if (send(netlink, message.bytes, header->nlmsg_len, 0) < 0)
		return -errno;
	ssize_t length = recv(netlink, message.bytes, sizeof(message), 0);
	if (length < 0)
		return -errno;
	if (!NLMSG_OK(header, (size_t)length) || header->nlmsg_type != RTM_NEWLINK)
		return -ENODEV;
	int left = (int)IFLA_PAYLOAD(header);
	for (attribute = IFLA_RTA(NLMSG_DATA(header)); RTA_OK(attribute, left);
		 attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == IFLA_CARRIER_DOWN_COUNT &&
			RTA_PAYLOAD(attribute) >= sizeof(uint32_t)) {
			uint32_t losses;
			memcpy(&losses, RTA_DATA(attribute), sizeof(losses));
			return losses;
		}
	return -ENOTSUP;
}

int64_t link_losses(uint16_t port)
{
	if (!*links.names[port])
		return -ENOTSUP;
	return ask_losses(links.questions, links.names[port]);
}

bool link_is_up_in_linux(uint16_t port)
{
	const short both = IFF_UP | IFF_RUNNING;
	struct ifreq request = {0};
	if (!*links.names[port])
		return true;
	memcpy(request.ifr_name, links.names[port], IFNAMSIZ);
	/* A deleted interface is down. */
	return !ioctl(links.control, SIOCGIFFLAGS, &request) && (request.ifr_flags & both) == both;
}
