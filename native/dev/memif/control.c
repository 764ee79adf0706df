/* SPDX-License-Identifier: Apache-2.0 */
#include "dev/memif/control.h"

#include "dev/error.h"
#include "dev/helper_thread.h"
#include "dev/link.h"
#include "dev/memif/attach.h"
#include "dev/memif/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CHANNELS = 128, MAX_EVENTS = 32, RETRY_MS = 200 };

/* Source of an event of the epoll set; the bell has no data. */
enum source { SOURCE_LISTENER, SOURCE_CHANNEL };

/* One listener per path, shared by all server ports with that path. */
struct memif_listener {
	enum source source;
	int fd;
	uint16_t users;
	char path[108];
};

/* A connected socket. */
struct memif_channel {
	enum source source;
	int fd;
	struct memif_port *port;         /* a server learns it from INIT */
	struct memif_listener *listener; /* NULL: a client's channel */
	uint16_t step; /* client: number of messages that the server has acknowledged */
	struct memif_peer peer;
	struct memif_channel *next;
};

static struct {
	struct memif_port *ports[WS_MAX_PORTS];
	uint16_t count, channel_count;
	struct memif_channel *channels;
} control;

static void run(void);
static struct helper_thread helper = {
	.name = "ws_memif", .serves = "memifs", .run = run, HELPER_THREAD_CLOSED};

void memif_break(struct memif_queue *queue)
{
	queue->has_ring = false;
	__atomic_store_n(&queue->is_broken, true, __ATOMIC_RELEASE);
	helper_thread_wake(&helper);
}

/* ---- Channels ---- */

static struct memif_channel *open_channel(int fd, struct memif_listener *listener)
{
	struct memif_channel *channel =
		control.channel_count < MAX_CHANNELS ? calloc(1, sizeof(*channel)) : NULL;
	if (!channel || helper_thread_watch(&helper, fd, channel)) {
		free(channel);
		close(fd);
		return NULL;
	}
	*channel = (struct memif_channel){
		.source = SOURCE_CHANNEL, .fd = fd, .listener = listener, .next = control.channels};
	control.channels = channel;
	control.channel_count++;
	return channel;
}

static void close_channel(struct memif_channel *channel)
{
	struct memif_channel **at = &control.channels;
	struct memif_port *port = channel->port;
	while (*at != channel)
		at = &(*at)->next;
	*at = channel->next;
	control.channel_count--;
	if (port && port->channel == channel) {
		port->channel = NULL;
		if (port->is_connected) {
			memif_detach(port);
			links_changed();
		}
	}
	memif_peer_free(&channel->peer);
	close(channel->fd);
	free(channel);
}

static void send_away(struct memif_channel *channel, const char *reason)
{
	struct memif_message message = {.type = MEMIF_DISCONNECT};
	snprintf(message.disconnect.reason, sizeof(message.disconnect.reason), "%s", reason);
	memif_send(channel->fd, &message, -1);
	close_channel(channel);
}

static bool send_short(struct memif_channel *channel, enum memif_type type)
{
	struct memif_message message = {.type = (uint16_t)type};
	if (type == MEMIF_CONNECTED)
		memcpy(message.interface, channel->port->name, sizeof(message.interface));
	return memif_send(channel->fd, &message, -1);
}

static void connected(struct memif_channel *channel)
{
	memif_attach(channel->port, &channel->peer);
	links_changed();
}

/* Message handlers return NULL, or the reason to disconnect the sender; GONE if it has
 * disconnected. */
static const char GONE[] = "";

/* ---- Server ---- */

static bool send_hello(struct memif_channel *channel)
{
	struct memif_message message = {.type = MEMIF_HELLO};
	struct memif_hello *hello = &message.hello;
	hello->min_version = hello->max_version = MEMIF_VERSION;
	hello->max_region = MEMIF_MAX_REGIONS - 1;
	hello->max_log2_slots = MEMIF_MAX_LOG2_SLOTS;
	snprintf(hello->name, sizeof(hello->name), "wirespeed");
	/* Offer the limits of the path's first port, since the client has not named its port yet. */
	for (uint16_t i = 0; i < control.count; i++) {
		const struct memif_port *port = control.ports[i];
		if (port->listener != channel->listener)
			continue;
		hello->max_s2m_ring = RTE_MAX(hello->max_s2m_ring, (uint16_t)(port->rx_count - 1));
		hello->max_m2s_ring = RTE_MAX(hello->max_m2s_ring, (uint16_t)(port->tx_count - 1));
	}
	return memif_send(channel->fd, &message, -1);
}

static struct memif_port *find_port(const struct memif_listener *listener, uint32_t id)
{
	for (uint16_t i = 0; i < control.count; i++)
		if (control.ports[i]->listener == listener && control.ports[i]->id == id)
			return control.ports[i];
	return NULL;
}

static const char *take_init(struct memif_channel *channel, const struct memif_init *init)
{
	char secret[MEMIF_SECRET_LEN + 1] = "";
	struct memif_port *port = find_port(channel->listener, init->id);
	memcpy(secret, init->secret, MEMIF_SECRET_LEN);
	if (init->version != MEMIF_VERSION)
		return "incompatible memif version";
	if (!port)
		return "no such interface id";
	if (init->mode != MEMIF_MODE_ETHERNET)
		return "only Ethernet mode is supported";
	if (*port->secret && strcmp(port->secret, secret) != 0)
		return *secret ? "incorrect secret" : "secret required";
	if (port->channel)
		return "already connected";
	channel->port = port;
	port->channel = channel;
	return NULL;
}

static const char *take_connect(struct memif_channel *channel)
{
	const char *reason = memif_peer_check(&channel->peer);
	if (!reason)
		connected(channel);
	return reason;
}

/* Takes ownership of `fd`. */
static const char *serve(struct memif_channel *channel, const struct memif_message *message, int fd)
{
	bool has_begun = channel->port != NULL;
	bool may_lay_out = has_begun && !channel->port->is_connected;
	enum memif_type answer = MEMIF_ACK;
	const char *reason = "unexpected message";
	if (may_lay_out && message->type != MEMIF_CONNECT) {
		const uint16_t most[] = {channel->port->rx_count, channel->port->tx_count};
		reason = memif_peer_take(&channel->peer, message, fd, most);
	} else {
		if (fd >= 0)
			close(fd);
		if (!has_begun && message->type == MEMIF_INIT) {
			reason = take_init(channel, &message->init);
		} else if (may_lay_out) {
			reason = take_connect(channel);
			answer = MEMIF_CONNECTED;
		}
	}
	if (!reason && !send_short(channel, answer))
		return GONE;
	return reason;
}

/* ---- Client ---- */

static const char *take_hello(struct memif_channel *channel, const struct memif_hello *hello)
{
	const struct memif_port *port = channel->port;
	struct memif_message message = {.type = MEMIF_INIT};
	const uint16_t counts[] = {
		RTE_MIN(port->tx_count, hello->max_s2m_ring + 1u),
		RTE_MIN(port->rx_count, hello->max_m2s_ring + 1u),
	};
	if (hello->min_version > MEMIF_VERSION || hello->max_version < MEMIF_VERSION)
		return "incompatible memif version";
	if (memif_peer_lay_out(
			&channel->peer, counts, RTE_MIN(port->log2_slots, hello->max_log2_slots),
			port->lends && hello->max_region >= MEMIF_LENT_REGION ? &port->lent.region : NULL))
		return "no memory for the rings";
	message.init.version = MEMIF_VERSION;
	message.init.id = port->id;
	message.init.mode = MEMIF_MODE_ETHERNET;
	memcpy(message.init.secret, port->secret, MEMIF_SECRET_LEN);
	snprintf(message.init.name, sizeof(message.init.name), "wirespeed");
	return memif_send(channel->fd, &message, -1) ? NULL : GONE;
}

static const char *say_next(struct memif_channel *channel)
{
	struct memif_message message;
	int fd;
	if (!memif_peer_say(&channel->peer, channel->step, &message, &fd))
		return "unexpected message";
	if (message.type == MEMIF_CONNECT)
		memcpy(message.interface, channel->port->name, sizeof(message.interface));
	channel->step++;
	return memif_send(channel->fd, &message, fd) ? NULL : GONE;
}

static const char *ask(struct memif_channel *channel, const struct memif_message *message, int fd)
{
	uint16_t last = (uint16_t)(channel->peer.region_count + channel->peer.ring_counts[MEMIF_S2M] +
							   channel->peer.ring_counts[MEMIF_M2S] + 1);
	bool has_begun = channel->peer.region_count > 0;
	if (fd >= 0)
		close(fd);
	if (message->type == MEMIF_HELLO && !has_begun)
		return take_hello(channel, &message->hello);
	if (message->type == MEMIF_ACK && has_begun)
		return say_next(channel);
	if (message->type != MEMIF_CONNECTED || !has_begun || channel->step != last ||
		channel->port->is_connected)
		return "unexpected message";
	connected(channel);
	return NULL;
}

static bool connect_client(struct memif_port *port)
{
	int fd = memif_connect(port->path);
	struct memif_channel *channel = fd < 0 ? NULL : open_channel(fd, NULL);
	if (!channel)
		return false;
	channel->port = port;
	port->channel = channel;
	return true;
}

/* True if some client has no connection yet. */
static bool connect_clients(void)
{
	bool is_waiting = false;
	for (uint16_t i = 0; i < control.count; i++)
		if (control.ports[i]->role == MEMIF_CLIENT && !control.ports[i]->channel)
			is_waiting |= !connect_client(control.ports[i]);
	return is_waiting;
}

/* ---- The loop ---- */

static void accept_all(struct memif_listener *listener)
{
	int fd;
	while ((fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct memif_channel *channel = open_channel(fd, listener);
		if (channel && !send_hello(channel))
			close_channel(channel);
	}
}

/* Reads one message only, so that no peer can block the others. */
static void read_channel(struct memif_channel *channel)
{
	struct memif_message message;
	const char *reason;
	int fd, taken = memif_take(channel->fd, &message, &fd);
	if (!taken)
		return;
	if (taken < 0 || message.type == MEMIF_DISCONNECT) {
		if (fd >= 0)
			close(fd);
		close_channel(channel);
		return;
	}
	reason = channel->listener ? serve(channel, &message, fd) : ask(channel, &message, fd);
	if (reason && *reason)
		send_away(channel, reason);
	else if (reason)
		close_channel(channel);
}

static void drop_broken(void)
{
	for (uint16_t i = 0; i < control.count; i++)
		if (control.ports[i]->channel && memif_is_broken(control.ports[i]))
			send_away(control.ports[i]->channel, "ring or buffer out of range");
}

static void handle(const struct epoll_event *event)
{
	const enum source *source = event->data.ptr;
	if (source && *source == SOURCE_LISTENER)
		accept_all(event->data.ptr);
	else if (source)
		read_channel(event->data.ptr);
}

static void run(void)
{
	struct epoll_event events[MAX_EVENTS];
	while (!helper_thread_must_stop(&helper)) {
		bool is_waiting = connect_clients();
		bell_listen(&helper.bell);
		drop_broken();
		bool is_over = helper_thread_must_stop(&helper);
		int n = epoll_wait(helper.epoll, events, MAX_EVENTS,
						   is_over      ? 0
						   : is_waiting ? RETRY_MS
										: -1);
		bell_ignore(&helper.bell);
		for (int i = 0; i < n; i++)
			handle(&events[i]);
	}
}

/* ---- For the main thread ---- */

static int join_listener(struct memif_port *port)
{
	for (uint16_t i = 0; i < control.count; i++) {
		struct memif_listener *other = control.ports[i]->listener;
		if (!other || strcmp(other->path, port->path) != 0)
			continue;
		if (find_port(other, port->id))
			return fail(-EEXIST, "%s already has a memif of id %u; give another id", port->path,
						port->id);
		port->listener = other;
		other->users++;
		return 0;
	}
	int fd = memif_listen(port->path);
	if (fd < 0)
		return fail(fd, "%s cannot be opened for memif: %s", port->path, strerror(-fd));
	struct memif_listener *listener = calloc(1, sizeof(*listener));
	if (!listener || helper_thread_watch(&helper, fd, listener)) {
		free(listener);
		memif_unlisten(fd, port->path);
		return fail(-ENOMEM, "no memory to listen at %s", port->path);
	}
	*listener = (struct memif_listener){.source = SOURCE_LISTENER, .fd = fd, .users = 1};
	memcpy(listener->path, port->path, sizeof(listener->path));
	port->listener = listener;
	return 0;
}

static void leave_listener(struct memif_port *port)
{
	struct memif_listener *listener = port->listener;
	port->listener = NULL;
	if (!listener || --listener->users)
		return;
	/* Channels whose client has not named its port yet. */
	for (struct memif_channel *one = control.channels, *next; one; one = next) {
		next = one->next;
		if (one->listener == listener)
			close_channel(one);
	}
	memif_unlisten(listener->fd, listener->path);
	free(listener);
}

int memif_control_add(struct memif_port *port)
{
	helper_thread_stop(&helper);
	int error = helper_thread_open(&helper);
	if (!error && port->role == MEMIF_SERVER)
		error = join_listener(port);
	if (!error)
		control.ports[control.count++] = port;
	if (!error || control.count) {
		int started = helper_thread_start(&helper);
		if (!error && started) {
			memif_control_remove(port);
			error = started;
		}
	}
	if (!control.count)
		helper_thread_close(&helper);
	return error;
}

void memif_control_remove(struct memif_port *port)
{
	uint16_t kept = 0;
	helper_thread_stop(&helper);
	if (port->channel)
		send_away(port->channel, "interface deleted");
	for (uint16_t i = 0; i < control.count; i++)
		if (control.ports[i] != port)
			control.ports[kept++] = control.ports[i];
	control.count = kept;
	leave_listener(port);
	if (kept)
		helper_thread_start(&helper);
	else
		helper_thread_close(&helper);
}
