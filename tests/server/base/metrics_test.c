#include "server/base/metrics.h"

#include "tests/test.h"

#include <math.h>

#define MS 1000000LL

static struct metrics_label label_at(size_t index)
{
    static const struct metrics_label labels[] = {
        {"GET", "/things"}, {"POST", "/things"}, {"GET", "/things/{id}"}};

    return labels[index];
}

static char *written(struct metrics *metrics)
{
    struct bytes text = {.limit = 1024 * 1024};

    EXPECT(metrics_write(metrics, &text));
    return text.data;
}

/* The value of the line that starts with `series` and a space; -1 when there is none. */
static double value_of(const char *text, const char *series)
{
    size_t length = strlen(series);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, series, length) == 0 && line[length] == ' ')
            return strtod(line + length, NULL);
    }
    return -1;
}

/* After some traffic. */
#define TEST_WITH_TRAFFIC(name) TEST_GIVEN(name, struct metrics *metrics, with_traffic)

static void with_traffic(void (*test)(struct metrics *metrics))
{
    struct metrics *metrics = metrics_new(3, label_at);

    metrics_request(metrics, 0, 200, MS / 10);
    metrics_request(metrics, 0, 200, 3 * MS);
    metrics_request(metrics, 0, 304, 3 * MS);
    metrics_request(metrics, 0, 500, 60000 * MS);
    metrics_request(metrics, 1, 201, 20 * MS);
    metrics_request(metrics, 3, 404, MS);
    metrics_worker_started(metrics);
    metrics_worker_started(metrics);
    metrics_worker_failed(metrics);
    test(metrics);
    metrics_free(metrics);
}

#define REQUESTS "pennyworth_http_requests_total"
#define SECONDS "pennyworth_http_request_duration_seconds"
#define THINGS "method=\"GET\",route=\"/things\""

static const struct {
    const char *series;
    double value;
} series[] = {
    {REQUESTS "{" THINGS ",status=\"2xx\"}", 2},
    {REQUESTS "{" THINGS ",status=\"3xx\"}", 1},
    {REQUESTS "{" THINGS ",status=\"5xx\"}", 1},
    {REQUESTS "{method=\"POST\",route=\"/things\",status=\"2xx\"}", 1},
    {REQUESTS "{method=\"other\",route=\"none\",status=\"4xx\"}", 1},
    {REQUESTS "{" THINGS ",status=\"4xx\"}", -1}, /* what never happened is not listed */
    {SECONDS "_bucket{" THINGS ",le=\"0.0005\"}", 1},
    {SECONDS "_bucket{" THINGS ",le=\"0.0025\"}", 1},
    {SECONDS "_bucket{" THINGS ",le=\"0.005\"}", 3},
    {SECONDS "_bucket{" THINGS ",le=\"10\"}", 3},
    {SECONDS "_bucket{" THINGS ",le=\"+Inf\"}", 4},
    {SECONDS "_count{" THINGS "}", 4},
    {SECONDS "_sum{" THINGS "}", 60.0061},
    {SECONDS "_count{method=\"other\",route=\"none\"}", 1},
    {SECONDS "_count{method=\"GET\",route=\"/things/{id}\"}", -1},
    {"pennyworth_worker_starts_total", 2},
    {"pennyworth_worker_failures_total", 1},
    {"pennyworth_spot_notice", 0},
};

TEST_WITH_TRAFFIC(counters_are_written)
{
    AUTO(freep) char *text = written(metrics);

    for (size_t i = 0; i < COUNT(series); i++)
        EXPECT_NEAR(value_of(text, series[i].series), series[i].value, 1e-9);
}

TEST(a_duration_on_the_edge_of_a_bucket_belongs_to_it)
{
    struct metrics *metrics = metrics_new(3, label_at);

    metrics_request(metrics, 0, 200, 5 * MS);
    metrics_request(metrics, 0, 200, 5 * MS + 1);
    AUTO(freep) char *text = written(metrics);
    EXPECT_NEAR(value_of(text, SECONDS "_bucket{" THINGS ",le=\"0.0025\"}"), 0, 0);
    EXPECT_NEAR(value_of(text, SECONDS "_bucket{" THINGS ",le=\"0.005\"}"), 1, 0);
    EXPECT_NEAR(value_of(text, SECONDS "_bucket{" THINGS ",le=\"0.01\"}"), 2, 0);
    metrics_free(metrics);
}

static const char *const types[] = {"counter", "gauge", "histogram"};

/* "# TYPE name type" right after "# HELP name words". */
static void check_type_line(const char *help, const char *type, char ret_family[100])
{
    char name[100] = "", kind[100] = "";
    bool known = false;

    EXPECT_INT(sscanf(help, "# HELP %99s", ret_family), 1);
    EXPECT(strlen(help) > strlen("# HELP  ") + strlen(ret_family));
    EXPECT_INT(sscanf(type, "# TYPE %99s %99s", name, kind), 2);
    EXPECT_STR(name, ret_family);
    for (size_t i = 0; i < COUNT(types); i++)
        known = known || strcmp(kind, types[i]) == 0;
    EXPECT(known);
}

/* "name{label="value",...} number", its name beginning with the family's. */
static void check_sample(const char *line, const char *family)
{
    size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz_");
    const char *rest = line + name;
    char *end;

    EXPECT(strncmp(line, family, strlen(family)) == 0);
    if (*rest == '{') {
        do {
            rest++;
            rest += strspn(rest, "abcdefghijklmnopqrstuvwxyz_");
            EXPECT(strncmp(rest, "=\"", 2) == 0);
            rest += 2 + strcspn(rest + 2, "\"\\\n");
            EXPECT_INT(*rest, '"');
            rest++;
        } while (*rest == ',');
        EXPECT_INT(*rest, '}');
        rest++;
    }
    EXPECT_INT(*rest, ' ');
    double value = strtod(rest, &end);
    EXPECT(isfinite(value) && value >= 0 && *end == '\0');
}

TEST_WITH_TRAFFIC(every_line_is_prometheus_text)
{
    AUTO(freep) char *text = written(metrics);
    char *rest = text, family[100] = "";
    int families = 0, samples = 0;

    EXPECT_INT(text[strlen(text) - 1], '\n');
    text[strlen(text) - 1] = '\0';
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] == '#') {
            char *type = strsep(&rest, "\n");

            check_type_line(line, type ? type : "", family);
            families++;
        } else {
            check_sample(line, family);
            samples++;
        }
    }
    EXPECT_INT(families, 6);
    EXPECT(samples > 20);
}

TEST_WITH_TRAFFIC(the_buckets_of_a_histogram_never_fall_and_end_at_its_count)
{
    AUTO(freep) char *text = written(metrics);
    char *rest = text;
    double bound = 0, count = 0, in_all = -1;
    int checked = 0;

    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *le = strstr(line, "le=\"");

        if (strncmp(line, SECONDS "_bucket", strlen(SECONDS "_bucket")) == 0 && le) {
            double here = strtod(le + 4, NULL), value = strtod(strchr(line, ' '), NULL);

            EXPECT(here > bound && value >= count);
            bound = isinf(here) ? 0 : here;
            count = isinf(here) ? 0 : value;
            if (isinf(here))
                in_all = value;
        } else if (strncmp(line, SECONDS "_count", strlen(SECONDS "_count")) == 0) {
            EXPECT_NEAR(strtod(strchr(line, ' '), NULL), in_all, 0);
            checked++;
        }
    }
    EXPECT_INT(checked, 3);
}

TEST(an_idle_server_writes_its_families_all_the_same)
{
    struct metrics *metrics = metrics_new(3, label_at);
    AUTO(freep) char *text = written(metrics);

    EXPECT_PART(text, "# TYPE " REQUESTS " counter\n");
    EXPECT_PART(text, "# TYPE " SECONDS " histogram\n");
    EXPECT(strstr(text, REQUESTS "{") == NULL);
    EXPECT_NEAR(value_of(text, "pennyworth_worker_starts_total"), 0, 0);
    metrics_free(metrics);
}

TEST_WITH_TRAFFIC(a_text_that_does_not_fit_is_an_error)
{
    AUTO(freep) char *whole = written(metrics);

    for (size_t limit = 0; limit < strlen(whole); limit += 97) {
        AUTO(bytes_free) struct bytes text = {.limit = limit};

        EXPECT(!metrics_write(metrics, &text));
    }
}

TEST_WITH_TRAFFIC(a_preemption_notice_is_counted)
{
    metrics_preempted(metrics, true);
    AUTO(freep) char *text = written(metrics);
    EXPECT_NEAR(value_of(text, "pennyworth_spot_notice"), 1, 0);
}
