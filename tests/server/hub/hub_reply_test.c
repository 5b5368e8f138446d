#include "server/hub/hub_reply.h"

#include "common/text.h"
#include "tests/test.h"

#define ID(last) "01HF7YAT000000000000000" last

/* Three lines, of the runs 11 to 13. */
static void make(struct hub_line lines[3])
{
    for (int i = 0; i < 3; i++) {
        lines[i] = (struct hub_line){.id = {ID("0A0")}, .delivery.run = 11 + i};
        lines[i].id.text[RUN_ID_LENGTH - 1] = (char)('0' + i);
    }
}

static bool read_reply(const char *type, const char *text, struct hub_line *lines, size_t count,
                       struct error *err)
{
    const struct hub_answer answer = {type, text, strlen(text)};

    return hub_reply_read(&answer, lines, count, err);
}

static void expect_verdicts(const char *text, const char *verdicts)
{
    static const char letters[] = "?+-";
    struct hub_line lines[3];

    make(lines);
    EXPECT_OK(read_reply("application/json", text, lines, 3, &err));
    for (int i = 0; i < 3; i++) {
        EXPECT_INT(letters[lines[i].delivery.verdict], verdicts[i]);
        EXPECT_INT(lines[i].delivery.run, 11 + i);
    }
}

static void expect_odd(const char *type, const char *text, const char *what)
{
    struct error err = {0};
    struct hub_line lines[3];

    make(lines);
    EXPECT(!read_reply(type, text, lines, 3, &err));
    EXPECT_INT(err.kind, ERROR_UPSTREAM);
    EXPECT_STR(strrchr(err.message, ':') ? strrchr(err.message, ':') + 2 : "", what);
    for (int i = 0; i < 3; i++)
        EXPECT_INT(lines[i].delivery.verdict, DELIVERY_WAITING);
}

TEST(what_is_stored_now_or_was_known_is_accepted)
{
    expect_verdicts("{\"imported\":3,\"known\":0,\"refused\":0,\"errors\":[]}", "+++");
    expect_verdicts("{\"imported\":0,\"known\":3,\"refused\":0,\"errors\":[]}", "+++");
    expect_verdicts(" {\"known\":2,\"errors\":[],\"refused\":0,\"imported\":1}\n", "+++");
}

TEST(a_refusal_is_of_its_line_with_field_and_reason)
{
    struct hub_line lines[3];

    make(lines);
    EXPECT(read_reply(
        "application/json; charset=utf-8",
        "{\"imported\":0,\"known\":1,\"refused\":2,\"errors\":["
        "{\"line\":3,\"id\":\"" ID(
            "0A2") "\",\"field\":\"steps\",\"reason\":\"are too few\"},"
                   "{\"line\":1,\"id\":null,\"field\":null,\"reason\":\"is no JSON\"}]}",
        lines, 3, NULL));
    EXPECT_HAS(lines[0].delivery, (verdict, DELIVERY_REFUSED), (reason, "is no JSON"));
    EXPECT_HAS(lines[1].delivery, (verdict, DELIVERY_ACCEPTED), (reason, ""));
    EXPECT_INT(lines[2].delivery.verdict, DELIVERY_REFUSED);
    EXPECT_STR(lines[2].delivery.reason, "steps: are too few");
}

TEST(members_of_later_hubs_are_left_alone)
{
    expect_verdicts("{\"imported\":3,\"known\":0,\"refused\":0,\"errors\":[],\"more\":1}", "+++");
}

TEST(an_answer_of_another_type_is_odd)
{
    static const char good[] = "{\"imported\":3,\"known\":0,\"refused\":0,\"errors\":[]}";
    static const char what[] = "it is not application/json";

    expect_odd("text/html", good, what);
    expect_odd("", good, what);
    expect_odd("application/jsonp", good, what);
    expect_odd("application/problem+json", good, what);
}

TEST(an_answer_that_is_no_report_is_odd)
{
    static const char type[] = "application/json";

    expect_odd(type, "", "it is not JSON");
    expect_odd(type, "<html>please log in</html>", "it is not JSON");
    expect_odd(type, "{\"imported\":3,\"known\":0,\"refused\":0,\"errors\":[]} x",
               "it is not JSON");
    expect_odd(type, "{\"imported\":3,\"imported\":0,\"known\":0,\"refused\":0,\"errors\":[]}",
               "it is not JSON");
    expect_odd(type, "{\"imported\":3,\"known\":0,\"refused\":0,\"err", "it is not JSON");
    expect_odd(type, "[1,2,3]", "it is not a JSON object");
    expect_odd(type, "{}", "imported, known, refused and errors must be there");
    expect_odd(type, "{\"imported\":3,\"known\":0,\"refused\":0}",
               "imported, known, refused and errors must be there");
    expect_odd(type, "{\"imported\":4,\"known\":-1,\"refused\":0,\"errors\":[]}",
               "imported, known, refused and errors must be there");
    expect_odd(type, "{\"imported\":3.0,\"known\":0,\"refused\":0,\"errors\":[]}",
               "imported, known, refused and errors must be there");
}

TEST(counts_that_do_not_add_up_are_odd)
{
    static const char type[] = "application/json";

    expect_odd(type, "{\"imported\":2,\"known\":0,\"refused\":0,\"errors\":[]}",
               "it does not tell of as many lines as were sent");
    expect_odd(type, "{\"imported\":3,\"known\":3,\"refused\":0,\"errors\":[]}",
               "it does not tell of as many lines as were sent");
    expect_odd(type, "{\"imported\":2,\"known\":0,\"refused\":1,\"errors\":[]}",
               "it does not say what was wrong with each refused line");
}

/* Of one that was refused; the other two were stored. */
static void expect_odd_refusal(const char *refusal, const char *what)
{
    char text[600];

    snprintf(text, sizeof text, "{\"imported\":2,\"known\":0,\"refused\":1,\"errors\":[%s]}",
             refusal);
    expect_odd("application/json", text, what);
}

TEST(a_refusal_of_nothing_that_was_sent_is_odd)
{
    static const char of_no_line[] = "an error is of no line that was sent";

    expect_odd_refusal("{\"line\":0,\"id\":null,\"field\":null,\"reason\":\"r\"}", of_no_line);
    expect_odd_refusal("{\"line\":4,\"id\":null,\"field\":null,\"reason\":\"r\"}", of_no_line);
    expect_odd_refusal("{\"line\":\"1\",\"id\":null,\"field\":null,\"reason\":\"r\"}",
                       of_no_line);
    expect_odd_refusal("7", of_no_line);
    expect_odd_refusal("{\"line\":1,\"id\":\"" ID("0A1") "\",\"field\":null,\"reason\":\"r\"}",
                       "an error is of another id than was sent in that line");
    expect_odd_refusal("{\"line\":1,\"field\":null,\"reason\":\"r\"}",
                       "an error is of another id than was sent in that line");
    expect_odd_refusal("{\"line\":1,\"id\":null,\"field\":null,\"reason\":\"\"}",
                       "an error has no reason");
    expect_odd_refusal("{\"line\":1,\"id\":null,\"field\":3,\"reason\":\"r\"}",
                       "an error has no reason");
    expect_odd("application/json",
               "{\"imported\":1,\"known\":0,\"refused\":2,\"errors\":["
               "{\"line\":2,\"id\":null,\"field\":null,\"reason\":\"a\"},"
               "{\"line\":2,\"id\":null,\"field\":null,\"reason\":\"b\"}]}",
               "two errors are of the same line");
}

TEST(a_long_reason_is_cut_and_stays_text)
{
    char reason[1200] = "", text[1400];
    struct hub_line lines[3];

    while (strlen(reason) + 2 < sizeof reason)
        strncat(reason, "\xc3\xa9", 3);
    snprintf(text, sizeof text,
             "{\"imported\":0,\"known\":0,\"refused\":1,\"errors\":["
             "{\"line\":1,\"id\":null,\"field\":\"f\",\"reason\":\"%s\"}]}",
             reason);
    make(lines);
    EXPECT(read_reply("application/json", text, lines, 1, NULL));
    EXPECT_INT((long long)strlen(lines[0].delivery.reason), DELIVERY_REASON_MAX);
    EXPECT(text_is_utf8(lines[0].delivery.reason, DELIVERY_REASON_MAX));
}

TEST(no_line_and_too_many_are_a_mistake_of_the_caller)
{
    struct hub_line lines[HUB_LINES_MAX + 1];

    EXPECT_ERROR(read_reply("application/json", "{}", lines, 0, &err), ERROR_INTERNAL);
    EXPECT(!read_reply("application/json", "{}", lines, HUB_LINES_MAX + 1, NULL));
}
