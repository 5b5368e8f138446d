/* Whether a cloud takes this machine back: what each of them says, and what is made of silence.
 */
#include "pricing/machine/preemption_notice.h"

#include "tests/pricing/feeds/asking.h"

#define AT_US 1505722920000000LL /* 2017-09-18T08:22:00Z */
#define SPOT "spot/instance-action"
#define HINT "events/recommendations/rebalance"
#define NAME                                                                                     \
    NULL, "/metadata/instance/compute/name?api-version=2021-02-01&format=text",                  \
        "Metadata: true", 200
#define EVENTS(body)                                                                             \
    NULL, "/metadata/scheduledevents?api-version=2020-07-01", "Metadata: true", 200, body, NULL
#define EVENT(type, machine, before)                                                             \
    "{\"EventId\":\"C7061BAC\",\"EventStatus\":\"Scheduled\",\"EventType\":\"" type              \
    "\",\"ResourceType\":\"VirtualMachine\",\"Resources\":[\"" machine                           \
    "\"],\"NotBefore\":\"" before                                                                \
    "\",\"Description\":\"\",\"EventSource\":\"Platform\",\"DurationInSeconds\":-1}"
#define LIST(events) "{\"DocumentIncarnation\":2,\"Events\":[" events "]}"
#define MONDAY "Mon, 18 Sep 2017 08:22:00 GMT"

struct answer {
    enum preemption_notice_result result;
    struct notice notice;
    struct error err;
    bool at_risk;
    int asked;
};

/* Asks once, of a machine that has not asked before. */
static struct answer ask_once(const char *provider, const struct reply *list)
{
    struct replies replies = {.list = list, .begins = METADATA_LINK_LOCAL "/"};
    struct answer answer = {.result = NOTICE_UNKNOWN};
    struct preemption_notice_asker asker;

    EXPECT(preemption_notice_begin(&asker, provider, NULL, replies_fetch, &replies));
    answer.result = preemption_notice_ask(&asker, &answer.notice, &answer.err);
    answer.at_risk = asker.at_risk;
    answer.asked = replies.asked;
    preemption_notice_end(&asker);
    EXPECT_STR(asker.service.header, ""); /* no token stays in memory */
    if (answer.result == NOTICE_UNKNOWN)
        EXPECT(answer.err.message[0] != '\0');
    else
        EXPECT_INT(answer.err.kind, ERROR_NONE);
    if (answer.result != NOTICE_LEAVING)
        EXPECT(!answer.notice.why[0] && answer.notice.at_us == 0);
    return answer;
}

static void expect_leaving(struct answer answer, const char *why, long long at_us)
{
    EXPECT_HAS(answer, (result, NOTICE_LEAVING), (notice.why, why), (notice.at_us, at_us));
}

static void expect_unknown_because(struct answer answer, const char *reason)
{
    EXPECT_INT(answer.result, NOTICE_UNKNOWN);
    EXPECT_PART(answer.err.message, reason);
}

static struct answer ask_aws(const char *document)
{
    const struct reply list[] = {{PUT_TOKEN}, {AWS(SPOT, document)}, {.ending = NULL}};

    return ask_once("aws", list);
}

TEST(aws_says_what_it_will_do_and_when)
{
    EACH_TEXT(action, "terminate", "stop", "hibernate") {
        char document[100], why[100];

        snprintf(document, sizeof document,
                 "{\"action\": \"%s\", \"time\": \"2017-09-18T08:22:00Z\"}\n", action);
        snprintf(why, sizeof why, "AWS takes this machine back at 2017-09-18T08:22:00Z (%s)",
                 action);
        expect_leaving(ask_aws(document), why, AT_US);
    }
}

TEST(a_time_that_says_nothing_makes_a_notice_no_less_of_one)
{
    EACH_TEXT(document, "{\"action\":\"stop\"}", "{\"action\":\"stop\",\"time\":\"soon\"}",
              "{\"action\":\"stop\",\"time\":null}", "{\"action\":\"stop\",\"time\":1505722920}")
        expect_leaving(ask_aws(document), "AWS takes this machine back (stop)", 0);
}

TEST(what_is_no_notice_of_aws_is_not_taken_for_one)
{
    EACH(struct pair, one, {"<html>", "not a JSON object"}, {"", "not a JSON object"},
         {"[\"terminate\"]", "not a JSON object"},
         {"{\"action\":\"stop\",\"action\":\"terminate\"}", "not a JSON object"},
         {"{}", "no action that is known"},
         {"{\"action\":\"reboot\",\"time\":\"2017-09-18T08:22:00Z\"}", "no action that is known"},
         {"{\"action\":7}", "no action that is known"}) {
        struct answer answer = ask_aws(one.given);

        expect_unknown_because(answer, one.wanted);
        EXPECT(!strstr(answer.err.message, "reboot"));
    }
}

TEST(aws_with_nothing_to_say_answers_404_and_a_hint_is_only_one)
{
    static const struct reply nothing[] = {{PUT_TOKEN}, {.ending = NULL}};
    static const struct reply hint[] = {
        {PUT_TOKEN}, {AWS(HINT, "{\"noticeTime\":\"2017-09-18T08:22:00Z\"}")}, {.ending = NULL}};
    struct answer answer = ask_once("aws", nothing);

    EXPECT_INT(answer.result, NOTICE_NONE);
    EXPECT(!answer.at_risk);
    EXPECT_INT(answer.asked, 3); /* the token, the notice, the hint */
    answer = ask_once("aws", hint);
    EXPECT_INT(answer.result, NOTICE_NONE);
    EXPECT(answer.at_risk);
}

TEST(a_service_that_fails_says_so)
{
    static const struct reply no_token[] = {{"PUT", "/latest/api/token", NULL, 403, "", NULL},
                                            {.ending = NULL}};
    static const struct reply silent[] = {{"PUT", "/latest/api/token", NULL, 0, "", NULL},
                                          {.ending = NULL}};
    static const struct reply broken[] = {
        {PUT_TOKEN}, {NULL, SPOT, NULL, 500, "", NULL}, {.ending = NULL}};
    struct answer answer = ask_once("aws", no_token);

    expect_unknown_because(answer, "403");
    EXPECT_INT(answer.asked, 1);
    expect_unknown_because(ask_once("aws", silent), "timed out");
    expect_unknown_because(ask_once("aws", broken), "500");
}

/* A service that takes a token for two questions, and then wants another. */
struct forgetful {
    struct replies replies;
    int tokens, questions;
    bool never;
};

static bool forgetful_fetch(void *user, const struct fetch_request *request,
                            fetch_take_fn *take_body, void *taker,
                            struct fetch_response *ret_response, struct error *err)
{
    struct forgetful *service = user;
    bool put = request->method && strcmp(request->method, "PUT") == 0;

    if (put) {
        service->tokens++;
        service->questions = 0;
    } else if (service->never || ++service->questions > 2) {
        *ret_response = (struct fetch_response){.status = 401};
        return true;
    }
    return replies_fetch(&service->replies, request, take_body, taker, ret_response, err);
}

TEST(a_token_is_renewed_when_it_is_no_longer_taken)
{
    static const struct reply list[] = {{PUT_TOKEN}, {.ending = NULL}};
    struct forgetful service = {.replies = {.list = list}};
    struct preemption_notice_asker asker;
    struct notice notice;
    struct error err = {0};

    EXPECT(preemption_notice_begin(&asker, "aws", "http://m", forgetful_fetch, &service));
    for (int i = 0; i < 5; i++)
        EXPECT_INT(preemption_notice_ask(&asker, &notice, &err), NOTICE_NONE);
    EXPECT_INT(service.tokens, 5);
    EXPECT_STR(err.message, "");
    service.never = true; /* and is asked for once, not for ever */
    EXPECT_INT(preemption_notice_ask(&asker, &notice, &err), NOTICE_UNKNOWN);
    EXPECT_PART(err.message, "401");
    EXPECT_INT(service.tokens, 6);
    preemption_notice_end(&asker);
}

static struct answer ask_gcp(const char *preempted, const char *event)
{
    const struct reply list[] = {
        {GCP("preempted", preempted)}, {GCP("maintenance-event", event)}, {.ending = NULL}};

    return ask_once("gcp", list);
}

TEST(google_says_that_it_has_preempted_or_will_end_the_machine)
{
    struct answer answer = ask_gcp("TRUE", "NONE");

    expect_leaving(answer, "Google takes this machine back (preempted)", 0);
    EXPECT_INT(answer.asked, 1);
    expect_leaving(ask_gcp("FALSE\n", "TERMINATE_ON_HOST_MAINTENANCE"),
                   "Google takes this machine back (TERMINATE_ON_HOST_MAINTENANCE)", 0);
}

TEST(google_with_nothing_to_say_says_false)
{
    static const struct reply list[] = {{GCP("preempted", "FALSE")}, {.ending = NULL}};

    EACH_TEXT(event, "NONE", "MIGRATE_ON_HOST_MAINTENANCE", "")
        EXPECT_INT(ask_gcp("FALSE", event).result, NOTICE_NONE);
    EXPECT_INT(ask_once("gcp", list).result, NOTICE_NONE); /* no such word: 404 */
}

TEST(an_answer_that_is_not_from_google_is_not_used)
{
    static const struct reply other[] = {
        {NULL, "preempted", "Metadata-Flavor: Google", 200, "TRUE", "Goggle"}, {.ending = NULL}};
    static const struct reply nothing[] = {{.ending = NULL}};

    expect_unknown_because(ask_once("gcp", other), "not Google's");
    expect_unknown_because(ask_once("gcp", nothing), "neither TRUE nor FALSE");
    expect_unknown_because(ask_gcp("true", "NONE"), "neither TRUE nor FALSE");
}

static struct answer ask_azure(const char *name, const char *document)
{
    const struct reply list[] = {{NAME, name, NULL}, {EVENTS(document)}, {.ending = NULL}};

    return ask_once("azure", list);
}

TEST(two_of_azures_events_take_the_machine)
{
    expect_leaving(ask_azure("vm-1", LIST(EVENT("Preempt", "vm-1", MONDAY))),
                   "Azure takes this machine back at 2017-09-18T08:22:00Z (Preempt)", AT_US);
    expect_leaving(
        ask_azure("vm-1", LIST(EVENT("Freeze", "vm-1", "") "," EVENT("Terminate", "VM-1", ""))),
        "Azure takes this machine back (Terminate)", 0);
    EXPECT_INT(ask_azure("vm-1", LIST("")).result, NOTICE_NONE);
    EXPECT_INT(ask_azure("vm-1", LIST(EVENT("Reboot", "vm-1", MONDAY) "," EVENT("Redeploy",
                                                                                "vm-1", MONDAY)))
                   .result,
               NOTICE_NONE);
}

TEST(an_event_of_a_neighbour_is_none_of_ours)
{
    EXPECT_INT(ask_azure("vm-1", LIST(EVENT("Preempt", "vm-11", MONDAY))).result, NOTICE_NONE);
    expect_leaving(
        ask_azure("vm-1", LIST(EVENT("Preempt", "vm-2", "") "," EVENT("Preempt", "vm-1", ""))),
        "Azure takes this machine back (Preempt)", 0);
}

TEST(a_machine_without_a_name_takes_every_event_for_its_own)
{
    static const struct reply no_name[] = {{EVENTS(LIST(EVENT("Preempt", "vm-2", "")))},
                                           {.ending = NULL}};

    expect_leaving(ask_once("azure", no_name), "Azure takes this machine back (Preempt)", 0);
    EXPECT_INT(ask_azure("<html>", LIST(EVENT("Preempt", "vm-2", ""))).result, NOTICE_LEAVING);
}

TEST(a_name_that_does_not_come_now_is_asked_for_again)
{
    EACH(int, status, 0, 500, 429) {
        struct reply list[] = {
            {NAME, "vm-1", NULL}, {EVENTS(LIST(EVENT("Preempt", "vm-2", "")))}, {.ending = NULL}};
        struct replies replies = {.list = list};
        struct preemption_notice_asker asker;
        struct notice notice;
        struct error err = {0};

        list[0].status = status;
        EXPECT(preemption_notice_begin(&asker, "azure", "http://m", replies_fetch, &replies));
        EXPECT_INT(preemption_notice_ask(&asker, &notice, &err), NOTICE_UNKNOWN);
        EXPECT_INT(err.kind, ERROR_UPSTREAM);
        list[0].status = 200;
        error_clear(&err);
        EXPECT_INT(preemption_notice_ask(&asker, &notice, &err), NOTICE_NONE);
        EXPECT_INT(preemption_notice_ask(&asker, &notice, &err), NOTICE_NONE);
        EXPECT_INT(replies.asked, 4); /* the name twice, then never again */
        preemption_notice_end(&asker);
    }
}

TEST(what_is_no_list_of_events_is_not_taken_for_one)
{
    static const struct reply nothing[] = {{NAME, "vm-1", NULL}, {.ending = NULL}};

    EACH_TEXT(document, "<html>", "[]", "{}", "{\"Events\":{}}", LIST("7"),
              LIST("{\"EventType\":7}"), LIST("{\"EventType\":\"Preempt\"}"),
              LIST("{\"EventType\":\"Preempt\",\"Resources\":[7]}"),
              LIST(EVENT("Preempt", "vm-1", "") ",{}"))
        EXPECT_INT(ask_azure("vm-1", document).result, NOTICE_UNKNOWN);
    expect_unknown_because(ask_once("azure", nothing), "404");
}

TEST(providers_other_than_the_three_give_no_notice)
{
    struct preemption_notice_asker asker;

    EACH_TEXT(other, "", "AWS", "hetzner")
        EXPECT(!preemption_notice_begin(&asker, other, NULL, replies_fetch, NULL));
}
