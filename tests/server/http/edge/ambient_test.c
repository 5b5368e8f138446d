#include "server/http/edge/ambient.h"

#include "tests/test.h"

/* The field that is refused; "" for none. */
static const char *refused(const char *host, const char *origin, const char *site, bool changes)
{
    static struct error err;
    const struct ambient_request request = {host, origin, site, changes};

    err = (struct error){0};
    return ambient_check(&request, "bench.example;Other.example", &err) ? "" : err.field;
}

TEST(own_names_are_answered)
{
    static const char *const own[] = {"127.0.0.1",
                                      "127.0.0.1:8080",
                                      "[::1]:8080",
                                      "10.1.2.3:80",
                                      "localhost",
                                      "LOCALHOST:8080",
                                      "a.localhost:80",
                                      "bench.example:8080",
                                      "BENCH.example",
                                      "other.example:1",
                                      NULL};

    for (size_t i = 0; i < COUNT(own); i++)
        EXPECT_STR(refused(own[i], NULL, NULL, true), "");
}

TEST(names_of_strangers_are_refused)
{
    static char longest[600];
    static const char *const strange[] = {"evil.example",
                                          "evil.example:8080",
                                          "localhost.evil.example",
                                          "evillocalhost",
                                          "",
                                          ":8080",
                                          "127.0.0.1.evil.example",
                                          "bench.example.evil",
                                          "bench",
                                          "example;other",
                                          "[::1",
                                          longest};

    memset(longest, 'a', sizeof longest - 1);
    for (size_t i = 0; i + 2 < COUNT(strange); i++)
        EXPECT_STR(refused(strange[i], NULL, NULL, false), "Host");
    EXPECT_STR(refused(longest, NULL, NULL, false), "Host");
}

TEST(pages_of_others_change_nothing)
{
    static const char *const sites[] = {"cross-site", "same-site", "", "Same-Origin"};

    EXPECT_STR(refused("localhost:8080", "http://localhost:8080", "same-origin", true), "");
    EXPECT_STR(refused("localhost:8080", "https://LOCALHOST:8080", NULL, true), "");
    EXPECT_STR(refused("localhost:8080", NULL, "none", true), "");
    EXPECT_STR(refused("localhost:8080", "http://localhost:3000", NULL, true), "Origin");
    EXPECT_STR(refused("localhost:8080", "http://evil.example", NULL, true), "Origin");
    EXPECT_STR(refused("localhost:8080", "null", NULL, true), "Origin");
    EXPECT_STR(refused(NULL, "http://evil.example", NULL, true), "Origin");
    for (size_t i = 0; i < COUNT(sites); i++)
        EXPECT_STR(refused("localhost", NULL, sites[i], true), "Sec-Fetch-Site");
}

TEST(pages_of_others_may_lead_to_what_only_reads)
{
    EXPECT_STR(refused("localhost", "http://evil.example", "cross-site", false), "");
}
