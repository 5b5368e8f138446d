#include "server/http/edge/connections.h"

#include "tests/test.h"

#include <arpa/inet.h>
#include <limits.h>

#define SECOND 1000000000LL
#define START (1000 * SECOND)

static const struct connection_limits usual = {.most = 5,
                                               .most_per_address = 3,
                                               .rest_ns = 60 * SECOND,
                                               .header_ns = 10 * SECOND,
                                               .body_ns = 30 * SECOND,
                                               .send_ns = 20 * SECOND};

/* The descriptors that were cut, in order: "4 7 ". */
static char cuts[200];

static void cut(int descriptor)
{
    size_t used = strlen(cuts);

    snprintf(cuts + used, sizeof cuts - used, "%d ", descriptor);
}

static int finished; /* the sum of the descriptors that were finished */

static void finish(int descriptor)
{
    finished += descriptor;
}

/* What the client of each descriptor has taken of its answers. */
static long long taken_of[100];

static long long taken(int descriptor)
{
    return taken_of[descriptor];
}

static const struct connection_calls calls = {cut, finish, taken};

static struct connections *start(const struct connection_limits *limits)
{
    cuts[0] = '\0';
    return connections_new(limits, &calls);
}

static struct client *add(struct connections *connections, int descriptor, const char *address,
                          long long now_ns)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr_in four = {.sin_family = AF_INET};

    if (inet_pton(AF_INET, address, &four.sin_addr) == 1)
        return connections_add(connections, descriptor, (struct sockaddr *)&four, now_ns);
    EXPECT(inet_pton(AF_INET6, address, &six.sin6_addr) == 1);
    return connections_add(connections, descriptor, (struct sockaddr *)&six, now_ns);
}

/* With the usual limits. */
#define TEST_WITH_CONNECTIONS(name)                                                              \
    TEST_GIVEN(name, struct connections *connections, with_connections)

static void with_connections(void (*test)(struct connections *connections))
{
    struct connections *connections = start(&usual);

    test(connections);
    connections_free(connections);
}

TEST_WITH_CONNECTIONS(each_is_finished_once_and_waited_for)
{
    struct client *first = add(connections, 1, "10.0.0.1", START);
    struct client *second = add(connections, 20, "10.0.0.2", START);

    finished = 0;
    connections_cut(connections, first); /* it is there until it is removed */
    EXPECT_INT((long long)connections_finish(connections), 2);
    EXPECT_INT(finished, 21);
    connections_remove(connections, first);
    EXPECT_INT((long long)connections_finish(connections), 1);
    connections_remove(connections, second);
    EXPECT_INT((long long)connections_finish(connections), 0);
    EXPECT_INT(finished, 21);
    EXPECT_STR(cuts, "1 ");
}

TEST_WITH_CONNECTIONS(clients_are_counted_while_they_are_there)
{
    struct client *first = add(connections, 1, "10.0.0.1", START);
    struct client *second = add(connections, 2, "10.0.0.2", START);
    struct client *third = add(connections, 3, "10.0.0.3", START);

    EXPECT_INT((long long)connections_count(connections), 3);
    connections_remove(connections, second); /* from the middle, the end, the start */
    connections_remove(connections, first);
    EXPECT_INT((long long)connections_count(connections), 1);
    connections_remove(connections, third);
    EXPECT_INT((long long)connections_count(connections), 0);
    EXPECT_STR(cuts, "");
}

TEST_WITH_CONNECTIONS(an_address_over_its_limit_loses_its_own_longest_resting_client)
{
    struct client *other = add(connections, 1, "10.0.0.9", START); /* the longest of all */
    struct client *first = add(connections, 2, "10.0.0.1", START + 1);

    EXPECT(other && first);
    EXPECT(add(connections, 3, "10.0.0.1", START + 2) != NULL);
    EXPECT(add(connections, 4, "10.0.0.1", START + 3) != NULL);
    EXPECT_STR(cuts, "");
    client_phase(first, PHASE_REST, START + 4); /* so it is not 2's turn */
    EXPECT(add(connections, 5, "10.0.0.1", START + 5) != NULL);
    EXPECT_STR(cuts, "3 ");
    EXPECT_INT((long long)connections_count(connections), 4);
}

TEST_WITH_CONNECTIONS(over_the_total_the_longest_resting_client_of_all_makes_room)
{
    static const char *const addresses[] = {"10.0.0.1", "::1", "10.0.0.3", "fe80::1", "10.0.0.5"};

    for (int i = 0; i < 5; i++)
        EXPECT(add(connections, i, addresses[i], START + i) != NULL);
    EXPECT_STR(cuts, "");
    EXPECT(add(connections, 5, "10.0.0.6", START + 5) != NULL);
    EXPECT(add(connections, 6, "10.0.0.7", START + 6) != NULL);
    EXPECT_STR(cuts, "0 1 ");
    EXPECT_INT((long long)connections_count(connections), 5);
}

TEST_WITH_CONNECTIONS(an_address_is_the_same_in_both_of_its_families)
{
    EXPECT(add(connections, 1, "10.0.0.1", START) != NULL);
    EXPECT(add(connections, 2, "::ffff:10.0.0.1", START + 1) != NULL);
    EXPECT(add(connections, 3, "10.0.0.1", START + 2) != NULL);
    EXPECT(add(connections, 4, "::ffff:10.0.0.1", START + 3) != NULL);
    EXPECT_STR(cuts, "1 ");
}

TEST_WITH_CONNECTIONS(a_client_that_is_being_answered_is_never_cut_for_another)
{
    struct client *clients[5];

    for (int i = 0; i < 5; i++) {
        clients[i] = add(connections, i, i < 3 ? "10.0.0.1" : "10.0.0.2", START + i);
        client_phase(clients[i], PHASE_ANSWER, START + i);
    }
    EXPECT(add(connections, 5, "10.0.0.1", START + 10) == NULL); /* its address is full */
    EXPECT(add(connections, 6, "10.0.0.3", START + 10) == NULL); /* all is full */
    EXPECT_STR(cuts, "");
    EXPECT_INT((long long)connections_count(connections), 5);

    client_phase(clients[4], PHASE_REST, START + 11);
    EXPECT(add(connections, 7, "10.0.0.1", START + 12) == NULL); /* another's rest is no help */
    EXPECT_STR(cuts, "");
    EXPECT(add(connections, 8, "10.0.0.3", START + 12) != NULL);
    EXPECT_STR(cuts, "4 ");
}

TEST(a_dawdling_client_makes_room_like_a_resting_one)
{
    static const enum phase phases[] = {PHASE_REST, PHASE_HEADER, PHASE_BODY};

    for (size_t i = 0; i < COUNT(phases); i++) {
        struct connections *connections = start(&usual);

        for (int k = 0; k < 3; k++) {
            struct client *client = add(connections, k, "10.0.0.1", START);
            client_phase(client, k == 1 ? phases[i] : PHASE_ANSWER, START + k);
        }
        EXPECT(add(connections, 3, "10.0.0.1", START + 10) != NULL);
        EXPECT_STR(cuts, "1 ");
        connections_free(connections);
    }
}

TEST_WITH_CONNECTIONS(a_cut_client_counts_no_more_and_is_not_cut_again)
{
    struct client *client = add(connections, 1, "10.0.0.1", START);

    connections_cut(connections, client);
    connections_cut(connections, client);
    EXPECT_STR(cuts, "1 ");
    EXPECT_INT((long long)connections_count(connections), 0);
    EXPECT_INT(connections_tick(connections, START + 1000 * SECOND), LLONG_MAX);
    for (int i = 2; i < 5; i++) /* its place is free, though it is not gone yet */
        EXPECT(add(connections, i, "10.0.0.1", START) != NULL);
    EXPECT_STR(cuts, "1 ");
    connections_remove(connections, client);
    EXPECT_INT((long long)connections_count(connections), 3);
}

static const struct {
    enum phase phase;
    long long seconds; /* 0: for ever */
} deadlines[] = {{PHASE_REST, 60},  {PHASE_HEADER, 10}, {PHASE_BODY, 30},
                 {PHASE_ANSWER, 0}, {PHASE_HOLD, 0},    {PHASE_SEND, 20}};

TEST(each_phase_has_its_deadline_from_its_own_beginning)
{
    for (size_t i = 0; i < COUNT(deadlines); i++) {
        struct connections *connections = start(&usual);
        struct client *client = add(connections, 7, "10.0.0.1", START);
        long long begun = START + 5 * SECOND, due = begun + deadlines[i].seconds * SECOND;

        client_phase(client, deadlines[i].phase, begun);
        (void)connections_tick(connections, due - 1);
        EXPECT_STR(cuts, "");
        (void)connections_tick(connections, due);
        EXPECT_STR(cuts, deadlines[i].seconds ? "7 " : "");
        (void)connections_tick(connections, due + 100000 * SECOND);
        EXPECT_STR(cuts, deadlines[i].seconds ? "7 " : "");
        connections_free(connections);
    }
}

TEST_WITH_CONNECTIONS(a_new_client_has_to_send_its_header_in_time)
{
    EXPECT(add(connections, 1, "10.0.0.1", START) != NULL);
    EXPECT_INT(connections_tick(connections, START), START + 10 * SECOND);
    EXPECT_INT(connections_tick(connections, START + 10 * SECOND), LLONG_MAX);
    EXPECT_STR(cuts, "1 ");
}

TEST_WITH_CONNECTIONS(the_next_tick_is_the_first_deadline)
{
    struct client *early, *late;

    EXPECT_INT(connections_tick(connections, START), LLONG_MAX); /* no watcher: sleep for ever */
    late = add(connections, 1, "10.0.0.1", START + 3 * SECOND);
    early = add(connections, 2, "10.0.0.2", START);
    EXPECT_INT(connections_tick(connections, START + 4 * SECOND), START + 10 * SECOND);
    EXPECT_INT(connections_tick(connections, START + 11 * SECOND), START + 13 * SECOND);
    EXPECT_STR(cuts, "2 ");
    connections_remove(connections, early);
    connections_remove(connections, late);
    EXPECT_INT(connections_tick(connections, START + 14 * SECOND), LLONG_MAX);
}

/* clang-format off */
#define ORDER(rest, header, body, send)                                                          \
    {                                                                                            \
        .most = 9, .most_per_address = 9, .rest_ns = rest, .header_ns = header, .body_ns = body, \
        .send_ns = send                                                                          \
    }
/* clang-format on */

/* Phases change without waking anybody, so the next look may not be later than the shortest
 * deadline that could begin meanwhile. */
TEST(a_change_of_phase_between_two_ticks_is_seen_in_time)
{
    static const struct connection_limits orders[] = {ORDER(1, 2, 3, 4), ORDER(4, 1, 2, 3),
                                                      ORDER(2, 3, 1, 4), ORDER(2, 3, 4, 1)};

    for (size_t i = 0; i < COUNT(orders); i++) {
        struct connections *connections = start(&orders[i]);
        struct client *client = add(connections, 1, "10.0.0.1", START);

        client_phase(client, PHASE_ANSWER, START);
        EXPECT_INT(connections_tick(connections, START), START + 1);
        EXPECT_INT(connection_limits_shortest(&orders[i]), 1);
        connections_free(connections);
    }
}

TEST_WITH_CONNECTIONS(a_client_that_takes_its_answer_goes_on_and_one_that_does_not_is_cut)
{
    struct client *reads = add(connections, 1, "10.0.0.1", START);
    struct client *trickles = add(connections, 2, "10.0.0.2", START);

    taken_of[1] = taken_of[2] = 0;
    client_phase(reads, PHASE_SEND, START);
    client_phase(trickles, PHASE_SEND, START);
    for (int i = 1; i <= 3; i++) {
        taken_of[1] += SEND_LEAST;
        taken_of[2] += SEND_LEAST / 4;
        connections_tick(connections, START + 20 * i * SECOND);
    }
    EXPECT_STR(cuts, "2 ");
    connections_tick(connections, START + 80 * SECOND);
    EXPECT_STR(cuts, "2 1 ");
}

TEST(a_client_that_does_not_take_its_answer_makes_room)
{
    const struct connection_limits limits = {.most = 2, .most_per_address = 2};
    struct connections *connections = start(&limits);
    struct client *first = add(connections, 1, "10.0.0.1", START);
    struct client *second = add(connections, 2, "10.0.0.2", START);

    client_phase(first, PHASE_SEND, START);
    client_phase(second, PHASE_HOLD, START);
    EXPECT(add(connections, 3, "10.0.0.3", START + SECOND) != NULL);
    EXPECT_STR(cuts, "1 ");
    connections_free(connections);
}

/* A crowd that comes all at once and takes nothing must not shut others out until its answers are
 * old. Among its own connections an address waits for what has just begun. */
TEST(an_answer_that_has_just_begun_makes_room_for_other_addresses_only)
{
    const struct connection_limits limits = {.most = 3, .most_per_address = 2};
    struct connections *connections = start(&limits);
    struct client *first = add(connections, 1, "10.0.0.1", START);
    struct client *second = add(connections, 2, "10.0.0.1", START);
    struct client *third = add(connections, 3, "10.0.0.2", START);
    const long long soon = START + SECOND / 10;

    client_phase(first, PHASE_SEND, START);
    client_phase(second, PHASE_SEND, START + 1);
    client_phase(third, PHASE_SEND, START + 2);
    EXPECT(add(connections, 4, "10.0.0.1", soon) == NULL);
    EXPECT_STR(cuts, "");
    struct client *fourth = add(connections, 4, "10.0.0.3", soon);
    EXPECT_STR(cuts, "1 ");
    EXPECT(fourth != NULL);
    EXPECT(add(connections, 5, "10.0.0.4", soon) != NULL); /* rather the one that sends nothing */
    EXPECT_STR(cuts, "1 4 ");
    connections_free(connections);
}

TEST(half_of_the_connections_may_wait)
{
    const struct connection_limits limits = {.most = 6, .most_per_address = 4};
    struct connections *connections = start(&limits);
    struct client *clients[6];

    for (int i = 0; i < 6; i++)
        clients[i] = add(connections, i, i < 4 ? "10.0.0.1" : "10.0.0.2", START);
    EXPECT(connections_hold(connections, clients[0], START));
    EXPECT(connections_hold(connections, clients[0], START)); /* the same one */
    EXPECT(connections_hold(connections, clients[1], START));
    EXPECT(!connections_hold(connections, clients[2], START)); /* half of its address */
    EXPECT(connections_hold(connections, clients[4], START));
    EXPECT(!connections_hold(connections, clients[5], START)); /* half of all */
    client_phase(clients[0], PHASE_SEND, START);
    EXPECT(connections_hold(connections, clients[5], START));
    connections_free(connections);
}
