/* Every allocation fails while a machine learns who it is and finds its keys: it knows all or
 * nothing, and no message tells a key. */
#include "tests/faults/shortages.h"

#include "pricing/credentials_role.h"
#include "pricing/identity.h"
#include "tests/pricing/asking.h"

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
        expect_unknown(&identity, "the metadata service of azure says nothing: ");
        return excuse(identity.note, err);
    }
    EXPECT_STR(identity.region, "westus");
    if (!identity.instance_type[0])
        return excuse(identity.note, err);
    EXPECT_STR(identity.instance_type, "Standard_D2s_v5"); /* never another type */
    EXPECT_STR(identity.life_cycle, "spot");
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

static void a_machine_knows_itself_whole_or_not(void)
{
    survive_every_shortage("ask azure", ask_azure);
    survive_every_shortage("find role", find_role);
    survive_every_shortage("read texts", read_texts);
}

int main(void)
{
    RUN(a_machine_knows_itself_whole_or_not);
    return test_result();
}
