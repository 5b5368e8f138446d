#include "server/http/edge/listener.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#define SEND_SECONDS 7

/* A connection of two ends over TCP. */
static void connect_both(int *ret_ours, int *ret_theirs)
{
    struct config config = {.listen = "127.0.0.1", .send_seconds = SEND_SECONDS};
    AUTO(closep) int listener = listener_open(&config, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)listener_port(listener));
    *ret_theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_INT(
        connect(*ret_theirs, (const struct sockaddr *)(const void *)&address, sizeof address), 0);
    *ret_ours = accept(listener, NULL, NULL);
    EXPECT(*ret_ours >= 0);
}

TEST(an_open_connection_is_not_gone)
{
    AUTO(closep) int ours = -1;
    AUTO(closep) int theirs = -1;

    connect_both(&ours, &theirs);
    EXPECT(!listener_has_left(ours));
    EXPECT_INT(send(theirs, "x", 1, 0), 1);
    EXPECT(!listener_has_left(ours));
}

TEST(a_closed_connection_counts_as_gone)
{
    AUTO(closep) int ours = -1;
    int theirs;

    connect_both(&ours, &theirs);
    close(theirs);
    EXPECT(listener_has_left(ours));
}

TEST(a_closed_connection_with_bytes_left_to_read_counts_as_gone)
{
    AUTO(closep) int ours = -1;
    int theirs;

    connect_both(&ours, &theirs);
    EXPECT_INT(send(theirs, "x", 1, 0), 1);
    close(theirs);
    EXPECT(listener_has_left(ours));
}

TEST(an_end_is_told_behind_the_bytes_that_came_before_it)
{
    AUTO(closep) int ours = -1;
    AUTO(closep) int theirs = -1;
    char text[8];

    connect_both(&ours, &theirs);
    EXPECT_INT(send(theirs, "xyz", 3, 0), 3);
    EXPECT_INT(shutdown(theirs, SHUT_WR), 0);
    EXPECT(listener_has_left(ours));
    listener_tell_end(ours);
    EXPECT_INT(recv(ours, text, 2, 0), 2);
    EXPECT_INT(recv(ours, text, sizeof text, 0), 1);
    EXPECT_INT(recv(ours, text, sizeof text, 0), 0);
    EXPECT_INT(send(ours, "answer", 6, 0), 6);
    EXPECT_INT(recv(theirs, text, sizeof text, 0), 6);
}

TEST(what_is_not_taken_is_dropped_in_time)
{
    AUTO(closep) int ours = -1;
    AUTO(closep) int theirs = -1;
    unsigned patience_ms = 0;
    socklen_t size = sizeof patience_ms;

    connect_both(&ours, &theirs);
    EXPECT_INT(getsockopt(ours, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, &size), 0);
    EXPECT_INT(patience_ms, SEND_SECONDS * 1000);
}

TEST(a_cut_takes_back_what_was_not_read)
{
    AUTO(closep) int ours = -1;
    AUTO(closep) int theirs = -1;
    char piece[4096] = "";
    ssize_t length;

    connect_both(&ours, &theirs);
    while (send(ours, piece, sizeof piece, MSG_DONTWAIT) > 0)
        ;
    EXPECT(listener_taken(ours) > 0);
    listener_cut(ours);
    close(ours);
    ours = -1;
    do
        length = recv(theirs, piece, sizeof piece, 0);
    while (length > 0);
    EXPECT(length < 0 && errno == ECONNRESET);
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

TEST(little_is_held_where_that_is_asked_for)
{
    AUTO(closep) int ours = -1;
    AUTO(closep) int theirs = -1;
    AUTO(closep) int our_others = -1;
    AUTO(closep) int their_others = -1;

    connect_both(&ours, &theirs);
    connect_both(&our_others, &their_others);
    listener_hold_little(ours);
    EXPECT(held_for_whom_does_not_read(ours) < held_for_whom_does_not_read(our_others) / 2);
}
