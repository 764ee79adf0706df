/* SPDX-License-Identifier: Apache-2.0 */
#include "generator/flow_set/flow_segment.h"

#include "dev/error.h"

#include <errno.h>
#include <stdlib.h>

enum { PAYLOAD = WS_FLOW_SET_PAYLOAD, NEEDED = UDP_LEN + PAYLOAD };

/* Length of the datagram by its UDP header; 0 if it is truncated or has no room for the words. */
static uint16_t datagram_length(const uint8_t *udp, uint32_t room)
{
	uint16_t length = room < NEEDED ? 0 : (uint16_t)(udp[4] << 8 | udp[5]);
	return length >= NEEDED && length <= room ? length : 0;
}

int flow_writer_make(struct flow_writer *writer, uint32_t stream, const uint8_t *frame,
					 uint16_t frame_len, bool ip6, bool tcp, uint32_t mark)
{
	const struct flow_view view = {frame, frame_len, frame_len};
	uint32_t header = 0;
	const uint8_t *ip = flow_ip_of(&view, ip6, tcp ? IP4_TCP : IP4_UDP, 0, &header);
	uint16_t ip_at = ip ? (uint16_t)(ip - frame) : 0, at = (uint16_t)(ip_at + header), length = 0;
	*writer = (struct flow_writer){.ip6 = ip6, .ip_at = ip_at, .upper_at = at, .mark = mark};
	if (ip && tcp)
		length = flow_segment_template(writer, frame, frame_len);
	else if (ip)
		length = datagram_length(frame + at, frame_len - at);
	if (!length)
		return fail(-EINVAL,
					"stream %u: a flow set of IPv%c sends %s over it, with %d bytes of payload or "
					"more%s",
					stream, ip6 ? '6' : '4', tcp ? "TCP" : "UDP", PAYLOAD,
					tcp ? ", or a SYN, SYN-ACK or ACK without" : "");
	uint8_t *copy = malloc(frame_len);
	if (!copy)
		return fail(-ENOMEM, "no memory for the packet of stream %u", stream);
	memcpy(copy, frame, frame_len);
	uint16_t pseudo[] = {htobe16(tcp ? IP4_TCP : IP4_UDP), htobe16(length)};
	memset(copy + ip_at + (ip6 ? 8 : 12), 0, ip6 ? 32 : 8);
	if (!ip6)
		memset(copy + ip_at + IP4_CHECKSUM_AT, 0, 2);
	memset(copy + at, 0, 4);
	if (tcp) {
		memset(copy + at + TCP_SEQUENCE_AT, 0, 8);
	} else {
		writer->sum_at = at + 6;
		writer->words_at = at + UDP_LEN;
	}
	memset(copy + writer->sum_at, 0, 2);
	if (writer->words_at)
		memset(copy + writer->words_at, 0, PAYLOAD);
	writer->ip_sum = checksum_add(0, copy + ip_at, at - ip_at);
	writer->upper_sum = checksum_add(checksum_add(0, pseudo, sizeof(pseudo)), copy + at, length);
	free(copy);
	return 0;
}
