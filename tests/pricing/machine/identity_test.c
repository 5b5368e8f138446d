/* Which machine is this: what the clouds' metadata services say, and what is made of silence. */
#include "pricing/machine/identity.h"

#include "tests/pricing/feeds/asking.h"

static const struct reply aws[] = {
    {PUT_TOKEN},
    {AWS("instance-type", "m4.xlarge")},
    {AWS("placement/region", "us-east-1")},
    {AWS("placement/availability-zone", "us-east-1a")},
    {AWS("placement/availability-zone-id", "use1-az4")},
    {AWS("instance-life-cycle", "on-demand")},
    {AWS("services/partition", "aws")},
    {.ending = NULL},
};

static const struct reply gcp[] = {
    {GCP("machine-type", "projects/523926462582/machineTypes/n1-highcpu-64")},
    {GCP("zone", "projects/523926462582/zones/us-central1-a")},
    {GCP("scheduling/preemptible", "TRUE")},
    {.ending = NULL},
};

/* A copy of a table in which one answer is another. */
static const struct reply *with(const struct reply *list, const char *ending, struct reply reply)
{
    static struct reply copy[10];
    size_t i = 0;

    for (; list[i].ending; i++) {
        copy[i] = list[i];
        if (replies_ends(list[i].ending, ending)) {
            copy[i].status = reply.status;
            copy[i].body = reply.body;
            copy[i].flavor = reply.flavor;
        }
    }
    copy[i] = list[i];
    return copy;
}

static const struct reply *with_body(const struct reply *list, const char *ending,
                                     const char *body)
{
    return with(list, ending, (struct reply){.status = 200, .body = body, .flavor = "Google"});
}

static const struct reply *with_status(const struct reply *list, const char *ending, int status)
{
    return with(list, ending, (struct reply){.status = status, .body = "<html>no</html>"});
}

TEST(the_metadata_service_of_aws_identifies_a_machine)
{
    EACH(size_t, piece, 0, 1, 3) {
        struct replies replies = {.list = aws, .piece = piece};
        struct identity identity =
            ask("Amazon EC2", &replies, (struct identity_question){.root = NULL});

        EXPECT_STR(known(&identity),
                   "aws m4.xlarge us-east-1 us-east-1a use1-az4 on_demand aws, metadata");
        EXPECT_STR(identity.note, "");
        EXPECT_HAS(replies, (puts, 1), (asked, 10),
                   (urls[0], "http://169.254.169.254/latest/api/token"));
    }
}

/* The tables above are what the transcripts say. */
static void check_transcript(const char *name, const struct reply *list)
{
    if (!walk_has_samples(name))
        return;
    AUTO(freep) char *transcript = walk_sample(name, NULL);
    for (; list->ending; list++) {
        char asked[200];

        snprintf(asked, sizeof asked, "%s %s ", list->method ? list->method : "GET",
                 list->ending);
        EXPECT_STR(strstr(transcript, asked) ? asked : "not asked for", asked);
        EXPECT_STR(strstr(transcript, list->body) ? list->body : "not sent", list->body);
        if (list->header)
            EXPECT_STR(strstr(transcript, list->header) ? list->header : "no", list->header);
    }
}

TEST(the_questions_are_as_in_the_transcripts)
{
    check_transcript("imds-aws-transcript.http", aws);
    check_transcript("imds-gcp-transcript.http", gcp);
    check_transcript("imds-azure-transcript.http",
                     (const struct reply[]){{AZURE("application/json")}, {.ending = NULL}});
}

TEST(the_life_cycle_of_aws_is_a_word_of_ours_or_stays)
{
    EACH(struct pair, word, {"spot", "spot"}, {"on-demand", "on_demand"},
         {"scheduled", "scheduled"}, {"capacity-block", "capacity-block"},
         {"a word of more than 24 letters", ""}, {"", ""}) {
        struct identity identity =
            ask_table("Amazon EC2", with_body(aws, "instance-life-cycle", word.given));

        EXPECT_HAS(identity, (life_cycle, word.wanted), (instance_type, "m4.xlarge"));
        EXPECT_STR(identity.note,
                   word.wanted[0] ? "" : "the metadata service does not say the life cycle");
    }
}

TEST(what_is_not_there_stays_empty)
{
    struct identity identity =
        ask_table("Amazon EC2", with_status(aws, "placement/availability-zone-id", 404));

    EXPECT_STR(known(&identity), "aws m4.xlarge us-east-1 us-east-1a  on_demand aws, metadata");
    EXPECT_STR(identity.note, "");
    identity = ask_table("Amazon EC2", with_status(aws, "instance-life-cycle", 404));
    EXPECT_STR(known(&identity), "aws m4.xlarge us-east-1 us-east-1a use1-az4  aws, metadata");
    EXPECT_STR(identity.note, "the metadata service does not say the life cycle");
    identity = ask_table("Amazon EC2", with_status(aws, "instance-type", 404));
    EXPECT_STR(known(&identity), "aws  us-east-1 us-east-1a use1-az4 on_demand aws, metadata");
    EXPECT_STR(identity.note, "the metadata service does not say the instance type");
    expect_unknown(ask_table("Amazon EC2", with_status(aws, "placement/region", 404)),
                   "does not say the region");
}

TEST(values_are_taken_up_to_the_last_byte_that_there_is_room_for)
{
    char zone[41];

    memset(zone, 'a', sizeof zone);
    zone[40] = '\0';
    struct identity identity =
        ask_table("Amazon EC2", with_body(aws, "placement/availability-zone", zone));
    EXPECT_STR(identity.zone, "");
    zone[39] = '\0';
    identity = ask_table("Amazon EC2", with_body(aws, "placement/availability-zone", zone));
    EXPECT_STR(identity.zone, zone);
}

TEST(values_that_are_none_are_dropped_and_never_cut)
{
    EACH_TEXT(lawless, "m4.xl\303\244rge", "m4 xlarge", "<html>", "m4.xlarge\nm5.xlarge",
              "a-type-with-more-letters-than-there-is-room-for-in-the-struct.xlarge", "m4.\x7f") {
        struct identity identity =
            ask_table("Amazon EC2", with_body(aws, "instance-type", lawless));

        EXPECT_HAS(identity, (instance_type, ""), (region, "us-east-1"));
    }
    struct identity identity =
        ask_table("Amazon EC2", with_body(aws, "instance-type", "m4.xlarge\n"));
    EXPECT_STR(identity.instance_type, "m4.xlarge"); /* stand-ins send a newline */
}

TEST(a_failure_in_the_middle_leaves_nothing)
{
    static const char *const paths[] = {"token",
                                        "instance-type",
                                        "placement/region",
                                        "placement/availability-zone",
                                        "placement/availability-zone-id",
                                        "instance-life-cycle",
                                        "services/partition"};

    for (size_t i = 0; i < COUNT(paths); i++)
        EACH(int, status, 0, 301, 400, 401, 403, 500, 503) {
            struct identity identity =
                ask_table("Amazon EC2", with_status(aws, paths[i], status));
            char said[20];

            snprintf(said, sizeof said, "it answers %d", status);
            expect_unknown(identity, status   ? said
                                     : i == 0 ? "hop limit of 1"
                                              : "Connection timed out");
        }
}

TEST(without_a_token_nothing_is_asked)
{
    static const int statuses[] = {0, 400, 403, 404, 405, 417};
    static const char *const lawless[] = {"", "a token\r\nX-Evil: 1", "two words", "\303\244"};

    for (size_t i = 0; i < COUNT(statuses) + COUNT(lawless); i++) {
        struct replies replies = {.list = aws};

        replies.list = i < COUNT(statuses)
                           ? with_status(aws, "token", statuses[i])
                           : with_body(aws, "token", lawless[i - COUNT(statuses)]);
        expect_unknown(ask("Amazon EC2", &replies, (struct identity_question){.root = NULL}),
                       "metadata service");
        EXPECT_INT(replies.asked, 1); /* never the old way */
        EXPECT_INT(replies.puts, 1);
    }
}

TEST(silence_in_a_container_is_explained_with_the_command_that_helps)
{
    struct identity identity = ask_table("Amazon EC2", with_status(aws, "token", 0));

    expect_unknown(identity, "aws ec2 modify-instance-metadata-options "
                             "--http-put-response-hop-limit 2 --instance-id ID");
    EXPECT_PART(identity.note, "container");
    EXPECT(identity.unheard); /* and may answer another time */
    expect_unknown(ask_table("Amazon EC2", with_status(aws, "token", 403)),
                   "it answers 403: it may be switched off");
    expect_unknown(ask_table("Amazon EC2", with_status(aws, "services/partition", 401)),
                   "it answers 401: it accepts no token of ours");
}

TEST(on_no_known_cloud_no_service_is_asked)
{
    static const char *const vendors[] = {
        NULL,           "",           "QEMU",         "Dell Inc.", "Xen",
        "Google Cloud", "amazon ec2", "Amazon EC2 2", "    ",      "Micro"};

    for (size_t i = 0; i < COUNT(vendors); i++) {
        struct replies replies = {.list = aws};
        struct identity identity =
            ask(vendors[i], &replies, (struct identity_question){.root = NULL});

        expect_unknown(identity, "the firmware names no cloud");
        EXPECT_INT(replies.asked, 0);
        EXPECT(!identity.unheard);
    }
}

TEST(only_the_cloud_that_the_firmware_names_is_asked)
{
    static const struct reply nothing[] = {{.ending = NULL}};

    EACH(struct pair, vendor, {"Amazon EC2", "http://169.254.169.254/latest/api/token"},
         {"Google", "http://169.254.169.254/computeMetadata/"},
         {"Microsoft Corporation", "http://169.254.169.254/metadata/instance/compute"}) {
        struct replies replies = {.list = nothing, .begins = vendor.wanted};

        expect_unknown(ask(vendor.given, &replies, (struct identity_question){.root = NULL}),
                       "metadata service");
        EXPECT(replies.asked > 0);
    }
}

TEST(the_metadata_service_of_gcp_identifies_a_machine)
{
    struct identity identity = ask_table("Google", gcp);

    EXPECT_STR(known(&identity), "gcp n1-highcpu-64 us-central1 us-central1-a  spot , metadata");
    EXPECT_STR(identity.note, "");
    identity = ask_table("Google", with_body(gcp, "preemptible", "FALSE"));
    EXPECT_STR(identity.life_cycle, "on_demand");
    identity = ask_table("Google", with_body(gcp, "preemptible", "perhaps"));
    EXPECT_STR(identity.life_cycle, "");
    EXPECT_STR(identity.note, "the metadata service does not say the life cycle");
    identity = ask_table("Google", with_status(gcp, "preemptible", 404));
    EXPECT_HAS(identity, (life_cycle, ""), (instance_type, "n1-highcpu-64"));
}

TEST(an_answer_without_the_header_of_google_is_not_used)
{
    static const char *const flavors[] = {NULL, "", "google", "Googles", "Amazon"};

    for (size_t i = 0; i < COUNT(flavors); i++)
        for (size_t row = 0; row < 3; row++) {
            struct reply changed = gcp[row];

            changed.flavor = flavors[i];
            expect_unknown(ask_table("Google", with(gcp, gcp[row].ending, changed)),
                           "Metadata-Flavor: Google");
        }
}

TEST(a_zone_that_lies_in_no_region_gives_no_machine)
{
    EACH(struct pair, zone, {"projects/1/zones/us-central1-a", "us-central1"},
         {"projects/1/zones/northamerica-northeast1-c", "northamerica-northeast1"},
         {"projects/1/zones/us-south1-ai1b", "us-south1"},
         {"projects/1/zones/us-central1", ""}, /* "us" is not a region */
         {"projects/1/zones/us-central1-", ""}, {"projects/1/zones/us-central-a", ""},
         {"projects/1/zones/", ""}, {"projects/1/zones/a", ""}, {"projects/1/zones/-a", ""},
         {"projects/1/zones/1-a", ""}, {"", ""}) {
        struct identity identity = ask_table("Google", with_body(gcp, "zone", zone.given));

        EXPECT_STR(identity.region, zone.wanted);
        EXPECT_STR(identity.instance_type, zone.wanted[0] ? "n1-highcpu-64" : "");
        if (!zone.wanted[0])
            expect_unknown(identity, "does not say the region");
    }
}

TEST(an_address_from_the_options_is_asked_whatever_the_firmware_says)
{
    EACH_TEXT(address, "http://127.0.0.1:1338", "http://127.0.0.1:1338/") {
        struct replies replies = {.list = aws, .begins = "http://127.0.0.1:1338/latest/"};
        struct identity identity =
            ask(NULL, &replies, (struct identity_question){.aws_url = address});

        EXPECT_STR(identity.instance_type, "m4.xlarge");
        EXPECT_STR(replies.urls[0], "http://127.0.0.1:1338/latest/api/token");
    }
    struct replies replies = {.list = gcp, .begins = "http://g/"};
    struct identity identity =
        ask("QEMU", &replies, (struct identity_question){.gcp_url = "http://g"});
    EXPECT_STR(identity.provider, "gcp");
    EXPECT_INT(replies.puts, 0);
    replies = (struct replies){.list = gcp, .begins = "http://a/"};
    expect_unknown(ask(NULL, &replies, (struct identity_question){.azure_url = "http://a"}),
                   "service of azure did not identify this machine: it answers 404");
    replies = (struct replies){.list = with_status(aws, "token", 0)};
    identity = ask(NULL, &replies, (struct identity_question){.aws_url = "http://w"});
    expect_unknown(identity, "Connection timed out"); /* a hop limit would be a guess */
    EXPECT_INT(replies.asked, 1);
}

TEST(with_ask_anyway_all_services_are_asked_until_one_answers)
{
    static const struct reply nothing[] = {{.ending = NULL}};
    struct replies replies = {.list = gcp};
    struct identity identity =
        ask(NULL, &replies, (struct identity_question){.ask_anyway = true});

    EXPECT_HAS(identity, (provider, "gcp"), (note, ""));
    EXPECT_INT(replies.puts, 1);
    EXPECT_INT(replies.asked, 6); /* one of AWS, five of Google */
    replies = (struct replies){.list = nothing};
    expect_unknown(ask("QEMU", &replies, (struct identity_question){.ask_anyway = true}),
                   "no cloud's metadata service answers");
    EXPECT_INT(replies.asked, 7);
    replies = (struct replies){.list = aws};
    identity = ask("Google", &replies, (struct identity_question){.ask_anyway = true});
    EXPECT_STR(identity.provider, "aws");
    EXPECT_PART(replies.urls[0], "/computeMetadata/"); /* the likeliest first */
}

TEST(an_address_beyond_all_length_is_no_crash)
{
    static char address[5000];
    struct replies replies = {.list = aws};

    memset(address, 'a', sizeof address - 1);
    expect_unknown(ask(NULL, &replies, (struct identity_question){.aws_url = address}),
                   "too long");
    EXPECT_INT(replies.asked, 0);
}

/* The name that distinguishes machines of one type. What a person configures is a price, not
 * another machine. */
TEST(each_cloud_gives_the_id_of_the_machine)
{
    const struct reply of_aws[] = {{PUT_TOKEN},
                                   {AWS("placement/region", "us-east-1")},
                                   {AWS("instance-id", "i-0123456789abcdef0\n")},
                                   {.ending = NULL}};
    const struct reply of_gcp[] = {{GCP("zone", "projects/523926462582/zones/us-central1-a")},
                                   {GCP("id", "4520031799277581759")},
                                   {.ending = NULL}};
    struct identity identity = ask_table("Amazon EC2", of_aws);

    EXPECT_STR(identity.instance_id, "i-0123456789abcdef0");
    identity_override(&identity, &(struct identity){.provider = "gcp", .region = "nowhere"});
    EXPECT_HAS(identity, (cloud, "aws"), (instance_id, "i-0123456789abcdef0"));
    identity = ask_table("Google", of_gcp);
    EXPECT_HAS(identity, (cloud, "gcp"), (instance_id, "4520031799277581759"));
    identity = ask_table("Google", with_body(of_gcp, "id", "not an id"));
    EXPECT_HAS(identity, (provider, "gcp"), (instance_id, ""));
    identity = ask_table("Amazon EC2", aws); /* which does not say it */
    EXPECT_HAS(identity, (provider, "aws"), (instance_id, ""));
}

TEST(options_override_the_metadata_member_by_member)
{
    struct identity identity = ask_table("Amazon EC2", aws);
    struct identity configured = {.note = ""};

    identity_override(&identity, &configured);
    EXPECT_STR(known(&identity),
               "aws m4.xlarge us-east-1 us-east-1a use1-az4 on_demand aws, metadata");
    configured = (struct identity){.life_cycle = "spot"};
    identity_override(&identity, &configured);
    EXPECT_STR(known(&identity),
               "aws m4.xlarge us-east-1 us-east-1a use1-az4 spot aws, settings");
    configured = (struct identity){.region = "us-east-1", .instance_type = "m5.large"};
    identity_override(&identity, &configured);
    EXPECT_STR(known(&identity), /* of the same region, and so the same zone */
               "aws m5.large us-east-1 us-east-1a use1-az4 spot aws, settings");
}

TEST(what_was_learned_of_one_place_does_not_hold_for_another)
{
    struct identity identity = ask_table("Amazon EC2", aws);

    identity_override(&identity, &(struct identity){.zone = "us-east-1b"});
    EXPECT_STR(known(&identity), "aws m4.xlarge us-east-1 us-east-1b  on_demand aws, settings");
    identity_override(&identity, &(struct identity){.region = "cn-north-1"});
    EXPECT_STR(known(&identity), "aws m4.xlarge cn-north-1   on_demand , settings");
    identity_override(&identity, &(struct identity){.provider = "gcp"});
    EXPECT_STR(known(&identity), "gcp      , settings");
}

TEST(settings_alone_make_a_machine_known)
{
    struct identity identity = ask_table(NULL, aws);
    struct identity configured = {
        .provider = "gcp", .region = "us-central1", .instance_type = "n1-highcpu-64"};

    identity_override(&identity, &configured);
    EXPECT_HAS(identity, (provider, "gcp"), (instance_type, "n1-highcpu-64"),
               (source, "settings"));
    EXPECT(identity.note[0]); /* the life cycle is still not known */
    identity_override(&identity, &(struct identity){.life_cycle = "on_demand"});
    EXPECT_STR(identity.note, "");
}
