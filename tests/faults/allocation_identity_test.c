/* Every allocation fails while a machine learns who it is, finds its keys, and looks out for a
 * notice: it knows all or nothing, and no message tells a key. */
#include "tests/faults/shortages.h"

#include "pricing/machine/credentials_role.h"
#include "pricing/machine/identity.h"
#include "pricing/machine/preemption_notice.h"
#include "server/runs/preemption_watch.h"
#include "tests/pricing/feeds/asking.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+EXAMPLEKEY"
#define ROLES "/latest/meta-data/iam/security-credentials/"
#define VM "{\"vmSize\":\"Standard_D2s_v5\",\"location\":\"westus\",\"priority\":\"Spot\"}"
#define ROLE_KEYS                                                                                \
    "{\"AccessKeyId\":\"ASIAROLE\",\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"t\","          \
    "\"Expiration\":\"2026-08-06T00:00:00Z\"}"

/* For lack of memory jansson takes a string for a lawless token, or drops a letter of it without
 * a word: then something is missing, or no JSON, and that is all that may be said. */
static bool excuse(const char *said, struct error *err)
{
    EXPECT(said[0] != '\0' && !strstr(said, "wJalr"));
    error_clear(err);
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool ask_azure(struct error *err)
{
    static const struct reply list[] = {{AZURE(VM)}, {.ending = NULL}};
    struct replies replies = {.list = list};
    struct identity identity;

    ration_start();
    identity_ask(&(struct identity_question){.root = "/nowhere",
                                             .azure_url = "http://azure",
                                             .fetch = replies_fetch,
                                             .fetcher = &replies},
                 &identity);
    ration_stop();
    if (!identity.provider[0]) {
        expect_unknown(&identity,
                       "the metadata service of azure did not identify this machine: ");
        return excuse(identity.note, err);
    }
    EXPECT_STR(identity.region, "westus");
    if (!identity.instance_type[0])
        return excuse(identity.note, err);
    EXPECT_STR(identity.instance_type, "Standard_D2s_v5"); /* never another type */
    EXPECT_STR(identity.life_cycle, "spot");
    return true;
}

/* With a licence the machine is never one without. */
static bool ask_aws(struct error *err)
{
    static const struct reply list[] = {{PUT_TOKEN},
                                        {AWS("instance-type", "m4.xlarge")},
                                        {AWS("placement/region", "us-east-1")},
                                        {NULL, "/instance-identity/document", WITH_TOKEN, 200,
                                         "{\"billingProducts\":[\"bp-1\"]}", NULL},
                                        {.ending = NULL}};
    struct replies replies = {.list = list};
    struct identity identity;

    ration_start();
    identity_ask(&(struct identity_question){.root = "/nowhere",
                                             .aws_url = "http://aws",
                                             .fetch = replies_fetch,
                                             .fetcher = &replies},
                 &identity);
    ration_stop();
    if (!identity.provider[0])
        return excuse(identity.note, err);
    EXPECT_STR(identity.instance_type, "m4.xlarge");
    EXPECT_STR(identity.terms, "a licence (bp-1)");
    return true;
}

static bool find_role(struct error *err)
{
    static const struct reply list[] = {
        {PUT_TOKEN},
        {NULL, ROLES, WITH_TOKEN, 200, "r", NULL},
        {NULL, ROLES "r", WITH_TOKEN, 200, ROLE_KEYS, NULL},
        {.ending = NULL},
    };
    struct replies replies = {.list = list};
    const struct credentials_question question = {.metadata_url = "http://aws",
                                                  .fetch = replies_fetch,
                                                  .fetcher = &replies,
                                                  .now_us = 1785888000000000};
    struct credentials found = {.id = "untouched"};
    long long until_us = 77;
    const char *origin = "untouched";

    ration_start();
    enum credentials_result result = credentials_find(&question, &found, &origin, &until_us, err);
    ration_stop();
    EXPECT_STR(found.id, result == CREDENTIALS_FOUND ? "ASIAROLE" : "untouched");
    EXPECT_STR(found.secret, result == CREDENTIALS_FOUND ? SECRET : "");
    EXPECT_INT(until_us, result == CREDENTIALS_FOUND ? 1785974400000000 : 77);
    return result == CREDENTIALS_FOUND || excuse(err->message, err);
}

/* Without memory to read a notice the result is an error, and never "no notice"; the time of a
 * notice may get lost. */
static bool ask_notice(const char *provider, const struct reply *list, const char *how,
                       struct error *err)
{
    struct replies replies = {.list = list};
    struct notice notice = {.at_us = 0};
    struct preemption_notice_asker asker;
    char end[40];

    EXPECT(preemption_notice_begin(&asker, provider, "http://m", replies_fetch, &replies));
    ration_start();
    enum preemption_notice_result result = preemption_notice_ask(&asker, &notice, err);
    ration_stop();
    preemption_notice_end(&asker);
    EXPECT(result != NOTICE_NONE);
    if (result == NOTICE_UNKNOWN)
        return excuse(err->message, err);
    snprintf(end, sizeof end, "(%s)", how);
    EXPECT(replies_ends(notice.why, end));
    EXPECT(notice.at_us == 1505722920000000 || (notice.at_us == 0 && ration.refused > 0));
    return true;
}

static bool notice_aws(struct error *err)
{
    static const struct reply list[] = {
        {PUT_TOKEN},
        {AWS("spot/instance-action", "{\"action\":\"stop\",\"time\":\"2017-09-18T08:22:00Z\"}")},
        {.ending = NULL}};

    return ask_notice("aws", list, "stop", err);
}

static bool notice_azure(struct error *err)
{
    static const struct reply list[] = {
        {NULL, "format=text", "Metadata: true", 200, "vm-1", NULL},
        {NULL, "scheduledevents?api-version=2020-07-01", "Metadata: true", 200,
         "{\"Events\":[{\"EventType\":\"Preempt\",\"Resources\":[\"vm-1\"],"
         "\"NotBefore\":\"Mon, 18 Sep 2017 08:22:00 GMT\"}]}",
         NULL},
        {.ending = NULL}};

    return ask_notice("azure", list, "Preempt", err);
}

/* Nothing else allocates at all. */
static bool read_texts(struct error *err)
{
    static const struct reply list[] = {{PUT_TOKEN},
                                        {AWS("instance-type", "m4.xlarge")},
                                        {AWS("placement/region", "us-east-1")},
                                        {.ending = NULL}};
    struct replies replies = {.list = list};
    static char file[] = "AWS_SHARED_CREDENTIALS_FILE=/dev/null";
    char *environment[] = {file, NULL};
    struct credentials found;
    struct identity identity;
    long long until_us;
    const char *origin;

    ration_start();
    identity_ask(&(struct identity_question){.root = "/nowhere",
                                             .aws_url = "http://aws",
                                             .fetch = replies_fetch,
                                             .fetcher = &replies},
                 &identity);
    enum credentials_result result =
        credentials_find(&(struct credentials_question){.environment = environment}, &found,
                         &origin, &until_us, err);
    ration_stop();
    EXPECT_INT(ration.refused, 0);
    EXPECT_STR(identity.instance_type, "m4.xlarge");
    return result == CREDENTIALS_NONE;
}

static void never(void *user, const char *why)
{
    (void)user;
    (void)why;
    EXPECT(false);
}

static bool look_out(struct error *err)
{
    static const struct config config = {.metadata = "auto", .life_cycle = "spot"};
    struct this_machine *here;
    struct preemption_watch *watch = NULL;
    bool ok;

    ration_start();
    here = this_machine_new(&config, err);
    ok = here &&
         preemption_watch_start(&(struct preemption_watch_parts){.this_machine = here,
                                                                 .metadata = config.metadata,
                                                                 .fetch = replies_fetch,
                                                                 .notice = never},
                                &watch, err);
    ration_stop();
    EXPECT(ok == (watch != NULL));
    preemption_watch_stop(watch);
    preemption_watch_free(watch);
    this_machine_free(here);
    return ok;
}

static void the_preemption_watch_survives_every_shortage(void)
{
    survive_every_shortage("look out", look_out);
}

static void no_notice_is_missed_without_a_word(void)
{
    survive_every_shortage("notice of aws", notice_aws);
    survive_every_shortage("notice of azure", notice_azure);
}

static void a_machine_knows_itself_whole_or_not(void)
{
    survive_every_shortage("ask aws", ask_aws);
    survive_every_shortage("ask azure", ask_azure);
    survive_every_shortage("find role", find_role);
    survive_every_shortage("read texts", read_texts);
}

int main(void)
{
    RUN(a_machine_knows_itself_whole_or_not);
    RUN(no_notice_is_missed_without_a_word);
    RUN(the_preemption_watch_survives_every_shortage);
    return test_result();
}
