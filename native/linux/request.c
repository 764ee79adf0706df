/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/request.h"

#include "dev/error.h"
#include "linux/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { REQUEST_LEN = 512, ANSWER_LEN = 32768, PATIENCE_S = 5 };

struct request {
	union {
		struct nlmsghdr header;
		uint8_t bytes[REQUEST_LEN];
	};
};

static struct nlmsghdr *begin(struct request *request, uint16_t type, uint16_t flags)
{
	static uint32_t sequence;
	memset(request, 0, sizeof(*request));
	struct nlmsghdr *header = mnl_nlmsg_put_header(request->bytes);
	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | flags;
	header->nlmsg_seq = ++sequence;
	return header;
}

int request_socket(void)
{
	const struct timeval patience = {.tv_sec = PATIENCE_S};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Send the request and wait for its reply, which is stored in `out`; returns 0, or the kernel's
 * negative errno. */
static int ask(int fd, const struct nlmsghdr *header, struct linux_message *out)
{
	static uint8_t answer[ANSWER_LEN];
	if (send(fd, header, header->nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		ssize_t length = recv(fd, answer, sizeof(answer), 0);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		if (linux_message_parse(answer, (size_t)length, out) && out->sequence == header->nlmsg_seq)
			return out->kind == LINUX_ERROR ? out->error : 0;
	}
}

static int tell(int fd, struct nlmsghdr *header)
{
	struct linux_message answer;
	header->nlmsg_flags |= NLM_F_ACK;
	return ask(fd, header, &answer);
}

static struct ifinfomsg *put_link(struct nlmsghdr *header, int32_t link)
{
	struct ifinfomsg *info = mnl_nlmsg_put_extra_header(header, sizeof(*info));
	info->ifi_index = link;
	return info;
}

int request_link_index(int fd, const char *name)
{
	struct request request;
	struct linux_message answer;
	struct nlmsghdr *header = begin(&request, RTM_GETLINK, 0);
	put_link(header, 0);
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	int error = ask(fd, header, &answer);
	if (!error && answer.kind != LINUX_LINK)
		error = -EPROTO;
	return error ? fail(error, "Linux has no interface %s there: %s", name, strerror(-error))
				 : answer.link.index;
}

int request_state(int fd, int32_t link, bool up)
{
	struct request request;
	struct nlmsghdr *header = begin(&request, RTM_NEWLINK, 0);
	struct ifinfomsg *info = put_link(header, link);
	info->ifi_change = IFF_UP;
	info->ifi_flags = up ? IFF_UP : 0;
	int error = tell(fd, header);
	return error ? fail(error, "Linux keeps the state of its interface: %s", strerror(-error)) : 0;
}

int request_mtu(int fd, int32_t link, uint32_t mtu)
{
	struct request request;
	struct nlmsghdr *header = begin(&request, RTM_NEWLINK, 0);
	put_link(header, link);
	mnl_attr_put_u32(header, IFLA_MTU, mtu);
	int error = tell(fd, header);
	return error ? fail(error, "Linux takes no MTU of %u for its interface: %s", mtu,
						strerror(-error))
				 : 0;
}

int request_mac(int fd, int32_t link, const uint8_t *mac)
{
	struct request request;
	struct nlmsghdr *header = begin(&request, RTM_NEWLINK, 0);
	put_link(header, link);
	mnl_attr_put(header, IFLA_ADDRESS, 6, mac);
	int error = tell(fd, header);
	return error ? fail(error, "Linux keeps its interface's MAC address: %s", strerror(-error)) : 0;
}

/* An address that already exists, or is already gone, is not an error. */
int request_address(int fd, int32_t link, const struct ws_prefix *prefix, bool add)
{
	bool is_ip6 = prefix->address.family == WS_IP6;
	char text[INET6_ADDRSTRLEN];
	struct request request;
	struct nlmsghdr *header =
		begin(&request, add ? RTM_NEWADDR : RTM_DELADDR, add ? NLM_F_CREATE | NLM_F_EXCL : 0);
	struct ifaddrmsg *info = mnl_nlmsg_put_extra_header(header, sizeof(*info));
	info->ifa_family = is_ip6 ? AF_INET6 : AF_INET;
	info->ifa_prefixlen = prefix->length;
	info->ifa_index = (uint32_t)link;
	mnl_attr_put(header, IFA_LOCAL, is_ip6 ? 16 : 4, prefix->address.bytes);
	mnl_attr_put(header, IFA_ADDRESS, is_ip6 ? 16 : 4, prefix->address.bytes);
	int error = tell(fd, header);
	if (!error || error == (add ? -EEXIST : -EADDRNOTAVAIL))
		return 0;
	inet_ntop(info->ifa_family, prefix->address.bytes, text, sizeof(text));
	return fail(error, "Linux refuses to %s address %s/%u: %s", add ? "add" : "remove", text,
				prefix->length, strerror(-error));
}

int request_vlan(int fd, const char *name, int32_t parent, uint16_t protocol, uint16_t id)
{
	struct request request;
	struct nlmsghdr *header = begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	put_link(header, 0);
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	mnl_attr_put_u32(header, IFLA_LINK, (uint32_t)parent);
	struct nlattr *info = mnl_attr_nest_start(header, IFLA_LINKINFO);
	mnl_attr_put_strz(header, IFLA_INFO_KIND, "vlan");
	struct nlattr *data = mnl_attr_nest_start(header, IFLA_INFO_DATA);
	mnl_attr_put_u16(header, IFLA_VLAN_ID, id);
	mnl_attr_put_u16(header, IFLA_VLAN_PROTOCOL, htons(protocol));
	mnl_attr_nest_end(header, data);
	mnl_attr_nest_end(header, info);
	int error = tell(fd, header);
	if (error == -EOPNOTSUPP)
		return fail(error, "this kernel has no VLAN interfaces (8021q), so Linux cannot have %s",
					name);
	if (error)
		return fail(error, "Linux refuses to make VLAN interface %s: %s", name, strerror(-error));
	return request_link_index(fd, name);
}

int request_delete(int fd, int32_t link)
{
	struct request request;
	struct nlmsghdr *header = begin(&request, RTM_DELLINK, 0);
	put_link(header, link);
	int error = tell(fd, header);
	return error && error != -ENODEV
			   ? fail(error, "Linux does not delete its interface: %s", strerror(-error))
			   : 0;
}
