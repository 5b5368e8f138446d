#include "server/http/edge/listener.h"

#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#define SEND_SECONDS 7

/* A connection of two ends over TCP; -1 where a test has closed one. */
struct ends {
    int ours, theirs;
};

static struct ends connect_both(void)
{
    struct ends ends;
    struct config config = {.listen = "127.0.0.1", .send_seconds = SEND_SECONDS};
    AUTO(closep) int listener = listener_open(&config, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)listener_port(listener));
    ends.theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_INT(
        connect(ends.theirs, (const struct sockaddr *)(const void *)&address, sizeof address), 0);
    ends.ours = accept(listener, NULL, NULL);
    EXPECT(ends.ours >= 0);
    return ends;
}

static void ends_close(struct ends *ends)
{
    closep(&ends->ours);
    closep(&ends->theirs);
}

#define TEST_CONNECTED(name) TEST_GIVEN(name, struct ends *ends, connected)

static void connected(void (*test)(struct ends *ends))
{
    AUTO(ends_close) struct ends ends = connect_both();

    test(&ends);
}

TEST_CONNECTED(an_open_connection_is_not_gone)
{
    EXPECT(!listener_has_left(ends->ours));
    EXPECT_INT(send(ends->theirs, "x", 1, 0), 1);
    EXPECT(!listener_has_left(ends->ours));
}

TEST_CONNECTED(a_closed_connection_counts_as_gone)
{
    closep(&ends->theirs);
    EXPECT(listener_has_left(ends->ours));
}

TEST_CONNECTED(a_closed_connection_with_bytes_left_to_read_counts_as_gone)
{
    EXPECT_INT(send(ends->theirs, "x", 1, 0), 1);
    closep(&ends->theirs);
    EXPECT(listener_has_left(ends->ours));
}

TEST_CONNECTED(an_end_is_told_behind_the_bytes_that_came_before_it)
{
    char text[8];

    EXPECT_INT(send(ends->theirs, "xyz", 3, 0), 3);
    EXPECT_INT(shutdown(ends->theirs, SHUT_WR), 0);
    EXPECT(listener_has_left(ends->ours));
    listener_tell_end(ends->ours);
    EXPECT_INT(recv(ends->ours, text, 2, 0), 2);
    EXPECT_INT(recv(ends->ours, text, sizeof text, 0), 1);
    EXPECT_INT(recv(ends->ours, text, sizeof text, 0), 0);
    EXPECT_INT(send(ends->ours, "answer", 6, 0), 6);
    EXPECT_INT(recv(ends->theirs, text, sizeof text, 0), 6);
}

TEST_CONNECTED(what_is_not_taken_is_dropped_in_time)
{
    unsigned patience_ms = 0;
    socklen_t size = sizeof patience_ms;

    EXPECT_INT(getsockopt(ends->ours, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, &size), 0);
    EXPECT_INT(patience_ms, SEND_SECONDS * 1000);
}

TEST_CONNECTED(a_cut_takes_back_what_was_not_read)
{
    char piece[4096] = "";
    ssize_t length;

    while (send(ends->ours, piece, sizeof piece, MSG_DONTWAIT) > 0)
        ;
    EXPECT(listener_taken(ends->ours) > 0);
    listener_cut(ends->ours);
    closep(&ends->ours);
    do
        length = recv(ends->theirs, piece, sizeof piece, 0);
    while (length > 0);
    EXPECT(length < 0 && errno == ECONNRESET);
}

TEST_CONNECTED(what_was_sent_before_the_end_arrives)
{
    char piece[8] = "";

    EXPECT_INT(send(ends->ours, "last", 4, 0), 4);
    listener_finish(ends->ours);
    EXPECT_INT(recv(ends->theirs, piece, sizeof piece, 0), 4);
    EXPECT_STR(piece, "last");
    EXPECT_INT(recv(ends->theirs, piece, sizeof piece, 0), 0);
    EXPECT(send(ends->ours, "x", 1, MSG_NOSIGNAL) < 0);
}

static long long held_for_whom_does_not_read(int descriptor)
{
    char piece[1024] = "";
    long long sum = 0;
    ssize_t length;

    while ((length = send(descriptor, piece, sizeof piece, MSG_DONTWAIT)) > 0)
        sum += length;
    return sum;
}

TEST_CONNECTED(little_is_held_where_that_is_asked_for)
{
    AUTO(ends_close) struct ends others = connect_both();

    listener_hold_little(ends->ours);
    EXPECT(held_for_whom_does_not_read(ends->ours) <
           held_for_whom_does_not_read(others.ours) / 2);
}
