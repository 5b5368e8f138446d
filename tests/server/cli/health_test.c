#include "server/cli/health.h"

#include "tests/test.h"

/* A server with a prepared answer, which keeps the request. */
struct played {
    struct fetch_request asked;
    int asks, status;
    const char *excerpt, *broken; /* broken: there is no answer, and why */
};

static bool play(void *user, const struct fetch_request *request, fetch_take_fn *take_body,
                 void *taker, struct fetch_response *ret_response, struct error *err)
{
    struct played *played = user;

    played->asked = *request;
    played->asks++;
    if (played->broken)
        return error_set(err, ERROR_UPSTREAM, NULL, "%s", played->broken);
    ret_response->status = played->status;
    snprintf(ret_response->excerpt, sizeof ret_response->excerpt, "%s",
             played->excerpt ? played->excerpt : "");
    return played->status != 200 || take_body(taker, "{}", 2, err) == TAKE_MORE;
}

static struct config listening(const char *address, long long port)
{
    struct config config = {.port = port};

    snprintf(config.listen, sizeof config.listen, "%s", address);
    return config;
}

static void expect_asked(const char *address, const char *url)
{
    struct config config = listening(address, 8080);
    struct played played = {.status = 200};

    EXPECT_OK(health_ask(&config, play, &played, &err));
    EXPECT_STR(played.asked.url, url);
}

TEST(a_server_is_asked_where_it_listens)
{
    expect_asked("127.0.0.1", "http://127.0.0.1:8080/readyz");
    expect_asked("10.1.2.3", "http://10.1.2.3:8080/readyz");
    expect_asked("::1", "http://[::1]:8080/readyz");
    expect_asked("fd00::7", "http://[fd00::7]:8080/readyz");
}

TEST(a_server_on_all_addresses_is_asked_on_loopback)
{
    expect_asked("0.0.0.0", "http://127.0.0.1:8080/readyz");
    expect_asked("::", "http://[::1]:8080/readyz");
    expect_asked("0:0:0:0:0:0:0:0", "http://[::1]:8080/readyz");
}

TEST(the_question_goes_past_proxies_and_ends_within_seconds)
{
    struct config config = listening("127.0.0.1", 8080);
    struct played played = {.status = 200};

    EXPECT_OK(health_ask(&config, play, &played, &err));
    EXPECT(played.asked.direct);
    EXPECT_HAS(played.asked, (total_ms, 3000), (ca_file, ""));
    EXPECT(!played.asked.any_name);
}

TEST(with_a_certificate_it_alone_is_trusted)
{
    struct config config = listening("127.0.0.1", 8443);
    struct played played = {.status = 200};

    snprintf(config.tls_certificate, sizeof config.tls_certificate, "/etc/certificate.pem");
    EXPECT_OK(health_ask(&config, play, &played, &err));
    EXPECT_STR(played.asked.url, "https://127.0.0.1:8443/readyz");
    EXPECT_STR(played.asked.ca_file, "/etc/certificate.pem");
    EXPECT(played.asked.any_name);
}

TEST(an_answer_other_than_200_is_printed_with_its_reason)
{
    struct config config = listening("127.0.0.1", 8080);
    struct played played = {.status = 503, .excerpt = "the database is locked"};

    EXPECT_MESSAGE(health_ask(&config, play, &played, &err),
                   "http://127.0.0.1:8080/readyz answers 503: the database is locked");
}

TEST(no_answer_is_reported_with_the_address)
{
    struct config config = listening("127.0.0.1", 8080);
    struct played played = {.broken = "connection refused"};

    EXPECT_MESSAGE(health_ask(&config, play, &played, &err),
                   "http://127.0.0.1:8080/readyz: connection refused");
}

TEST(a_question_that_cannot_be_sent_is_refused_before_connecting)
{
    struct config named = listening("localhost", 8080), any = listening("127.0.0.1", 0);
    struct played played = {.status = 200};
    struct error of_address = {0}, of_port = {0};

    EXPECT(!health_ask(&named, play, &played, &of_address));
    EXPECT_STR(of_address.field, "--listen");
    EXPECT_STR(of_address.message, "must be an IPv4 or IPv6 address, got 'localhost'");
    EXPECT(!health_ask(&any, play, &played, &of_port));
    EXPECT_STR(of_port.field, "--port");
    EXPECT_INT(played.asks, 0);
}
