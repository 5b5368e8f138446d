#include "server/http/json/comparison/present_comparison_svg.h"

#include "tests/answers/compare/comparison.h"

#include <expat.h>

#define PICTURE_MAX (1 << 20)
#define EVIL "</text><script>alert(1)</script>"

/* What a reader of the picture finds: the words of all its texts, and whether it is one. */
struct seen_picture {
    char words[16384];
    int elements, strangers;
};

static void on_start(void *user, const char *name, const char **attributes)
{
    static const char *const ours[] = {"svg", "title", "rect", "text", "path"};
    struct seen_picture *seen = user;
    bool known = false;

    seen->elements++;
    for (size_t i = 0; i < COUNT(ours); i++)
        known = known || strcmp(ours[i], name) == 0;
    for (; attributes[0]; attributes += 2)
        known =
            known && strncmp(attributes[0], "on", 2) != 0 && strcmp(attributes[0], "style") != 0;
    seen->strangers += !known;
    strncat(seen->words, "\n", sizeof seen->words - strlen(seen->words) - 1);
}

static void on_text(void *user, const char *text, int length)
{
    struct seen_picture *seen = user;

    EXPECT(strlen(seen->words) + (size_t)length < sizeof seen->words);
    strncat(seen->words, text, (size_t)length);
}

static struct seen_picture look_at(const struct bytes *text)
{
    struct seen_picture seen = {.words = ""};
    XML_Parser parser = XML_ParserCreate("UTF-8");

    XML_SetUserData(parser, &seen);
    XML_SetStartElementHandler(parser, on_start);
    XML_SetCharacterDataHandler(parser, on_text);
    EXPECT(text->data && XML_Parse(parser, text->data, (int)text->used, 1) == XML_STATUS_OK);
    XML_ParserFree(parser);
    EXPECT_INT(seen.strangers, 0);
    return seen;
}

typedef bool present_fn(struct bytes *, const struct comparison_question *,
                        const struct ranking *);

static struct seen_picture draw(const struct stage *stage, present_fn *present)
{
    AUTO(bytes_free) struct bytes text = {.limit = PICTURE_MAX};

    EXPECT(present(&text, &stage->question, &stage->ranking));
    return look_at(&text);
}

/* Two types that cannot be told apart, and one without a price. */
static void show_types(struct stage *stage)
{
    OFFERED(stage, "sure", .on_demand = 0.357);
    OFFERED(stage, "alike", .on_demand = 0.357);
    OFFERED(stage, "none", .why_not = "no feed has it");
    MEASURED(stage, "sure", 40.73, .low = 40.174, .high = 41.286);
    MEASURED(stage, "alike", 40.7, .low = 40.144, .high = 41.256);
    MEASURED(stage, "none", 10, .low = 9, .high = 11);
}

TEST_WITH_STAGE(a_badge_says_how_sure_it_is)
{
    static const struct {
        const char *question, *message;
    } rows[] = {
        {"instance_type=sure", "\n411k \xc2\xb1 1.4 %"},
        {"instance_type=alike", "\n410k \xc2\xb1 1.4 %"},
        {"", "\ncannot be told apart"},
        {"instance_type=slow", "\n101k \xc2\xb1 5.0 %"},
        {"instance_type=slow&instance_type=sure", "\n411k \xc2\xb1 1.4 %"},
        {"instance_type=figure", "\n2.76M, no interval"},
        {"instance_type=none", "\nno data"},
        {"instance_type=nowhere", "\nno data"},
        {"workload=mlp", "\nno data"},
        {"instance_type=sure&instance_type=slow&reference=slow", "\n4.07 \xc3\x97 slow"},
        {"instance_type=sure&instance_type=slow&reference=sure", "\n0.246 \xc3\x97 sure"},
        {"instance_type=sure&instance_type=alike&reference=alike", "\ncannot be told apart"},
        {"instance_type=figure&instance_type=sure&reference=figure", "\nno interval"},
    };

    show_types(stage);
    OFFERED(stage, "slow", .on_demand = 0.357);
    OFFERED(stage, "figure", .on_demand = 1.212);
    MEASURED(stage, "slow", 10, .low = 9.5, .high = 10.5);
    PUBLISHED(stage, "figure", 929);
    for (size_t i = 0; i < COUNT(rows); i++) {
        compare(stage, rows[i].question);
        struct seen_picture badge = draw(stage, present_badge_svg);
        EXPECT_PART(badge.words, rows[i].message);
        EXPECT_PART(badge.words, "\nsamples/$");
    }
}

TEST_WITH_STAGE(a_job_is_no_sample)
{
    OFFERED(stage, "job", .on_demand = 0.7);
    stage_see(stage, &(struct seen){.instance = "job", .value = 0.001, .unit = "job"});
    compare(stage, "");
    EXPECT_PART(draw(stage, present_badge_svg).words, "\nno data");
    EXPECT_PART(draw(stage, present_comparison_svg).words, "of a whole job");
}

TEST_WITH_STAGE(a_picture_has_every_row_and_the_reason_where_there_is_no_bar)
{
    show_types(stage);
    MEASURED(stage, "never", 0, .nothing = true, .invalid = 3);
    compare(stage, "");
    struct seen_picture picture = draw(stage, present_comparison_svg);
    EXPECT_PART(picture.words, "\nresnet50: samples per dollar");
    EXPECT_PART(picture.words, "\n1 to 2\nsure, native, bf16, batch 16");
    EXPECT_PART(picture.words, "\n411k \xc2\xb1 1.4 %");
    EXPECT_PART(picture.words, "\nno feed has it");
    EXPECT_PART(picture.words, "\nno valid run: 3 were invalid or never judged");
    EXPECT_PART(picture.words, "\n0 more rows are not shown.");
    compare(stage, "limit=1&offset=1");
    picture = draw(stage, present_comparison_svg);
    EXPECT_PART(picture.words, "\nalike, native, bf16, batch 16");
    EXPECT(strstr(picture.words, "\nsure") == NULL);
    EXPECT_PART(picture.words, "\n3 more rows are not shown.");
    compare(stage, "offset=1000");
    EXPECT_PART(draw(stage, present_comparison_svg).words, "\nno data");
    compare(stage, "workload=mlp");
    EXPECT_PART(draw(stage, present_comparison_svg).words, "\nno data");
}

TEST_WITH_STAGE(names_of_strangers_stay_text)
{
    OFFERED(stage, EVIL, .on_demand = 0.357);
    MEASURED(stage, EVIL, 40, .low = 39, .high = 41, .engine = "\" onload=\"x",
             .workload = "a&b");
    MEASURED(stage, "\xff\x01", 20, .low = 19, .high = 21, .workload = "a&b",
             .configuration = "{\"precision\":\"<i>\"}");
    compare(stage, "workload=a%26b");
    struct seen_picture picture = draw(stage, present_comparison_svg);
    EXPECT_PART(picture.words, "\na&b: samples per dollar");
    EXPECT_PART(picture.words, EVIL ", \" onloa\xe2\x80\xa6");
    EXPECT_PART(picture.words, "\n??, native, <i>");
    picture = draw(stage, present_badge_svg);
    EXPECT_PART(picture.words, "\na&b on " EVIL ", \" onload=\"x, bf16, batch 16: 403k");
}

TEST(numbers_are_short)
{
    static const struct {
        double speed;
        const char *words;
    } rows[] = {{0.0001, "\n0.36 "},   {1 / 3600.0, "\n1.00 "}, {0.2775, "\n999 "},
                {0.27775, "\n1.00k "}, {3, "\n10.8k "},         {277.7, "\n1.00M "},
                {1e9, "\n3.60T "},     {1e15, "\n3.6e+06T "}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(stage_clear) struct stage stage = {0};

        OFFERED(&stage, "a", .on_demand = 1);
        MEASURED(&stage, "a", rows[i].speed, .low = rows[i].speed * 0.8,
                 .high = rows[i].speed * 1.2);
        compare(&stage, "");
        EXPECT_PART(draw(&stage, present_badge_svg).words, rows[i].words);
        EXPECT_PART(draw(&stage, present_badge_svg).words, "\xc2\xb1 20 %");
    }
}

TEST_WITH_STAGE(a_picture_says_which_labels_its_runs_have)
{
    OFFERED(stage, "a", .on_demand = 1);
    MEASURED(stage, "a", 10, .low = 9, .high = 11);
    compare(stage, "label=branch%3Dfast&label=note%3D%3C/text%3E%3Cscript%3E");
    EXPECT_PART(draw(stage, present_badge_svg).words,
                "resnet50, only branch=fast and note=</text><script> on a");
    EXPECT_PART(draw(stage, present_comparison_svg).words,
                "resnet50, only branch=fast and note=</text><script>: samples per dollar");
    compare(stage, "");
    EXPECT(!strstr(draw(stage, present_comparison_svg).words, "only"));
}

TEST_WITH_STAGE(a_picture_that_does_not_fit_is_none)
{
    OFFERED(stage, "a", .on_demand = 1);
    MEASURED(stage, "a", 10, .low = 9, .high = 11);
    compare(stage, "");
    for (size_t limit = 1; limit < 400; limit += 50) {
        AUTO(bytes_free) struct bytes badge = {.limit = limit}, chart = {.limit = limit};

        EXPECT(!present_badge_svg(&badge, &stage->question, &stage->ranking));
        EXPECT(!present_comparison_svg(&chart, &stage->question, &stage->ranking));
    }
}
