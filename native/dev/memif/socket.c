/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 16 };

static socklen_t address_of(const char *path, struct sockaddr_un *address)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "%s", path);
	if (*path != '@')
		return sizeof(*address);
	address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
}

static int make(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

int memif_listen(const char *path)
{
	struct sockaddr_un address;
	socklen_t length = address_of(path, &address);
	int fd = make();
	if (fd >= 0 && (bind(fd, (const struct sockaddr *)&address, length) || listen(fd, BACKLOG))) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

void memif_unlisten(int fd, const char *path)
{
	if (*path != '@')
		unlink(path);
	close(fd);
}

int memif_connect(const char *path)
{
	struct sockaddr_un address;
	socklen_t length = address_of(path, &address);
	int fd = make();
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length)) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

bool memif_send(int socket, const struct memif_message *message, int fd)
{
	union control control = {0};
	struct iovec piece = {(void *)(uintptr_t)message, sizeof(*message)};
	struct msghdr header = {.msg_iov = &piece, .msg_iovlen = 1};
	if (fd >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = sizeof(control.bytes);
		control.header = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(*message);
}

int memif_take(int socket, struct memif_message *message, int *fd)
{
	union control control;
	struct iovec piece = {message, sizeof(*message)};
	struct msghdr header = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	*fd = -1;
	ssize_t size = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (size < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	const struct cmsghdr *said = CMSG_FIRSTHDR(&header);
	/* The kernel cuts off descriptors that do not fit, so there is at most one. */
	if (said && said->cmsg_level == SOL_SOCKET && said->cmsg_type == SCM_RIGHTS &&
		said->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(said), sizeof(*fd));
	if (size == sizeof(*message))
		return 1;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -1;
}
