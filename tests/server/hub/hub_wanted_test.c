#include "server/hub/hub_wanted.h"

#include "tests/test.h"

static bool read_wanted(const char *text, struct hub_wanted *wanted, struct error *err)
{
    const struct hub_answer answer = {"application/json", text, strlen(text)};

    return hub_wanted_read(&answer, wanted, err);
}

TEST(specs_and_words_come_in_the_order_of_the_hub)
{
    static struct hub_wanted wanted;

    EXPECT_OK(read_wanted(
        "{\"new\":1,\"wanted\":[{\"spec\":{\"workload\":\"mlp2017\",\"batch_size\":64,"
        "\"labels\":{\"a\":\"b\"}},\"words\":\"never\\u0007 measured\",\"x\":[]},"
        "{\"spec\":{\"workload\":\"resnet50\"},\"words\":\"few\"}]}",
        &wanted, &err));
    EXPECT_HAS(wanted, (count, 2), (list[0].batch_size, 64));
    EXPECT_INT(wanted.list[0].label_count, 0); /* the bench has labels of its own */
    EXPECT(strchr(wanted.words[0], '\a') == NULL);
    EXPECT_HAS(wanted, (list[1].workload, "resnet50"), (words[1], "few"));
    EXPECT_OK(read_wanted("{\"wanted\":[]}", &wanted, &err));
    EXPECT_INT((long long)wanted.count, 0);
}

TEST(what_a_newer_hub_wants_is_left_out)
{
    static struct hub_wanted wanted;

    EXPECT_OK(read_wanted(
        "{\"wanted\":[{\"spec\":{\"workload\":\"mlp2017\",\"rank\":7},\"words\":\"new\"},"
        "{\"spec\":{\"workload\":\"mlp2017\"},\"words\":\"old\"}]}",
        &wanted, &err));
    EXPECT_HAS(wanted, (count, 1), (words[0], "old"));
}

TEST(an_odd_answer_changes_nothing_and_is_described)
{
    static const char *const texts[] = {
        "",
        "<html>",
        "[]",
        "{}",
        "{\"wanted\":{}}",
        "{\"wanted\":[1]}",
        "{\"wanted\":[{\"words\":\"x\"}]}",
        "{\"wanted\":[{\"spec\":{}}]}",
        "{\"wanted\":[{\"spec\":[],\"words\":\"x\"}]}",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        static struct hub_wanted wanted;
        struct error err = {0};

        wanted.count = 77;
        EXPECT(!read_wanted(texts[i], &wanted, &err));
        EXPECT_INT(err.kind, ERROR_UPSTREAM);
        EXPECT(err.message[0]);
        EXPECT_INT((long long)wanted.count, 77);
    }
}

/* A hub, played by one function. */
struct played {
    int status;
    const char *text;
    char url[FETCH_URL_MAX], headers[1000];
};

static bool play(void *user, const struct fetch_request *request, fetch_take_fn *took,
                 void *taker, struct fetch_response *ret_response, struct error *err)
{
    struct played *played = user;

    snprintf(played->url, sizeof played->url, "%s", request->url);
    played->headers[0] = '\0';
    for (size_t i = 0; i < FETCH_HEADERS_MAX && request->headers[i][0]; i++) {
        size_t used = strlen(played->headers);

        snprintf(played->headers + used, sizeof played->headers - used, "%s\n",
                 request->headers[i]);
    }
    *ret_response = (struct fetch_response){.status = played->status};
    return played->status != 200 ||
           took(taker, played->text, strlen(played->text), err) == TAKE_MORE;
}

TEST(the_hub_is_asked_about_this_type_with_the_token)
{
    static struct hub_wanted wanted;
    struct played played = {200, "{\"wanted\":[]}", "", ""};
    struct hub_wanted_question question = {.hub = "https://hub/x/",
                                           .token = "secret",
                                           .ca = "",
                                           .instance_type = "a b.large",
                                           .provider = "aws",
                                           .fetch = play,
                                           .fetcher = &played};

    EXPECT_OK(hub_wanted_ask(&question, &wanted, &err));
    EXPECT_STR(played.url, "https://hub/x/v1/wanted?engine=native&limit=10&instance_type=a%20b."
                           "large&provider=aws");
    EXPECT_PART(played.headers, "Authorization: Bearer secret\n");
    question.provider = question.token = "";
    EXPECT_OK(hub_wanted_ask(&question, &wanted, &err));
    EXPECT(strstr(played.url, "provider") == NULL);
    EXPECT(strstr(played.headers, "Authorization") == NULL);
    played.status = 403;
    EXPECT_SAYS(hub_wanted_ask(&question, &wanted, &err), "a token that may read");
    played.status = 500;
    EXPECT_SAYS(hub_wanted_ask(&question, &wanted, &err), "the hub answered 500");
}
