/* Property: whatever is asked of a comparison is refused by the name of a parameter, or answered
 * in JSON that is JSON, where only what was measured and has a price is ranked, in order. */
#include "answers/compare/comparison.h"
#include "server/http/json/comparison/present_comparison.h"
#include "server/http/json/comparison/present_comparison_csv.h"
#include "server/http/json/comparison/present_comparison_markdown.h"
#include "server/http/json/comparison/present_comparison_svg.h"
#include "tests/answers/compare/comparison.h"
#include "tests/fuzz/fuzz.h"

#include <jansson.h>

#define TARGET "/v1/comparison?"

static void stage_make(struct stage *stage)
{
    OFFERED(stage, "a.large", .on_demand = 0.357, .spot = 0.1291, .low = 0.1, .high = 0.2,
            .band = "<5%");
    OFFERED(stage, "b.large", .on_demand = 1.212, .typed = 0.9);
    OFFERED(stage, "c.large", .spot = 0.01, .why_not = "no feed has it");
    OFFERED(stage, "d.large", .provider = "gcp", .published = 0.5, .published_spot = 0.1);
    OFFERED(stage, "e.large", .own = 0.05);
    MEASURED(stage, "a.large", 40.73, .low = 40.1, .high = 41.2);
    MEASURED(stage, "a.large", 12, .low = 5, .high = 90, .engine = "pytorch",
             .configuration = "{\"precision\":\"f32\",\"batch_size\":32}");
    MEASURED(stage, "b.large", 340, .low = 330, .high = 350, .level = STANDING_VMS, .vms = 4);
    MEASURED(stage, "c.large", 340, .paid = 0.02, .paid_kind = "spot");
    MEASURED(stage, "e.large", 7, .low = 7, .high = 7, .workload = "mlp", .age_days = 200);
    MEASURED(stage, "", 0, .nothing = true, .invalid = 2);
    stage_see(stage, &(struct seen){.instance = "d.large", .value = 929, .unit = "sample"});
    stage_see(stage, &(struct seen){
                         .instance = "d.large", .value = 1e-5, .unit = "job", .provider = "gcp"});
    stage->discounts.count = 1;
    stage->discounts.list[0] =
        (struct discount){.provider = "aws", .kind = PRICE_SPOT, .factor = 0.75, .note = "n"};
}

static bool is_parameter(const char *field)
{
    for (const struct parameter_row *row = comparison_rows; row->name; row++)
        if (strcmp(row->name, field) == 0)
            return true;
    return false;
}

static void check_row(const struct comparison_question *question,
                      const struct comparison_row *row)
{
    bool ranked = row->rank.low > 0;

    ALWAYS(ranked == !row->why_no_rank[0]);
    ALWAYS(!row->price.known || (row->price.dollars.value > 0 && isfinite(row->price.list)));
    ALWAYS(row->price.known || row->price.why_not[0]);
    ALWAYS(row->price.known || (!row->has_cost && !(row->job.dollars > 0)));
    ALWAYS(row->job.instances >= 0);
    if (ranked) {
        ALWAYS(!row->contender->is_published && row->speed.has_interval);
        ALWAYS(row->price.known || question->order == ORDER_THROUGHPUT);
        ALWAYS(row->score_low <= row->score && row->score <= row->score_high);
    }
    if (row->job.has_forecast)
        ALWAYS(row->job.probability >= 0 && row->job.probability <= 1);
}

static void check_ranking(const struct comparison_question *question,
                          const struct ranking *ranking)
{
    const struct comparison_row *rows = ranking->rows, *answer = ranking->answer;

    for (size_t i = 0; i < ranking->count; i++) {
        check_row(question, &rows[i]);
        ALWAYS((rows[i].rank.low > 0) == (i < ranking->ranked));
        ALWAYS(rows[i].rank.low <= i + 1);
        ALWAYS(i >= ranking->ranked || rows[i].rank.high >= i + 1);
        ALWAYS(rows[i].rank.high <= ranking->ranked);
    }
    ALWAYS(!answer || (answer->job.probability >= 0.95 && !answer->contender->is_published));
}

static void check_json(const struct comparison_question *question, const struct ranking *ranking)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 22};
    struct json_writer out = {.bytes = &text};

    members_write(&out, NULL, &comparison_members,
                  &(struct comparison_view){question, ranking, NULL, NULL});
    ALWAYS(!out.failed);
    AUTO(json_decrefp)
    json_t *json = json_loadb(text.data, text.used, JSON_REJECT_DUPLICATES, NULL);
    ALWAYS(json != NULL); /* which has no word for what is no number */
    ALWAYS(json_array_size(json_object_get(json, "rows")) <= (size_t)question->limit);
}

/* A whole cell without quotes: a label may say "a,nan,b" in them. */
static bool has_cell(const char *csv, const char *text)
{
    const size_t length = strlen(text);
    bool quoted = false;

    for (const char *at = csv; *at; at++) {
        quoted ^= *at == '"';
        if (!quoted && strchr(",\n", *at) && strncmp(at + 1, text, length) == 0 &&
            strchr(",\r\n", at[1 + length]))
            return true;
    }
    return false;
}

static void check_tables(const struct comparison_question *question,
                         const struct ranking *ranking)
{
    AUTO(bytes_free) struct bytes csv = {.limit = 1 << 22}, markdown = {.limit = 1 << 22};

    ALWAYS(present_comparison_csv(&csv, question, ranking));
    ALWAYS(present_comparison_markdown(&markdown, question, ranking));
    ALWAYS(!has_cell(csv.data, "nan") && !has_cell(csv.data, "-nan"));
    ALWAYS(!has_cell(csv.data, "inf") && !has_cell(csv.data, "-inf"));
}

/* Every picture has one element around it, and no number that is none. */
static void check_pictures(const struct comparison_question *question,
                           const struct ranking *ranking)
{
    AUTO(bytes_free) struct bytes chart = {.limit = 1 << 20}, badge = {.limit = 1 << 16};

    ALWAYS(present_comparison_svg(&chart, question, ranking));
    ALWAYS(present_badge_svg(&badge, question, ranking));
    ALWAYS(!strstr(chart.data, "=\"nan") && !strstr(chart.data, "=\"-nan"));
    ALWAYS(strstr(chart.data, "</svg>") == chart.data + chart.used - strlen("</svg>\n"));
    ALWAYS(strstr(badge.data, "</svg>") == badge.data + badge.used - strlen("</svg>\n"));
}

FUZZ_TEXT(text)
{
    static struct stage stage;
    size_t room = sizeof TARGET + strlen(text);
    char *target = malloc(room);
    struct error err = {0};

    ALWAYS(target != NULL);
    if (stage.standings.count == 0)
        stage_make(&stage);
    snprintf(target, room, TARGET "%s", text);
    if (!query_read(target, &stage.query, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
    } else if (stage_compare(&stage, text, &err)) {
        check_ranking(&stage.question, &stage.ranking);
        check_json(&stage.question, &stage.ranking);
        check_tables(&stage.question, &stage.ranking);
        check_pictures(&stage.question, &stage.ranking);
    } else {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(is_parameter(err.field) || strstr(err.message, "is not a known parameter"));
    }
    comparison_clear(&stage.ranking);
    stage.ranking = (struct ranking){0};
    free(target);
}
