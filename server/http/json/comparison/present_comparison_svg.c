#include "server/http/json/comparison/present_comparison_svg.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "server/http/json/comparison/xml_text.h"

#include <math.h>

#define FONT "font-family=\"Verdana,DejaVu Sans,Geneva,sans-serif\""
#define PLUS_MINUS "\xc2\xb1"
#define TIMES "\xc3\x97"

struct picture {
    struct bytes *text;
    bool failed; /* limit or memory exhausted: the rest is not written */
};

#define PUT(picture, ...)                                                                        \
    ((picture)->failed = (picture)->failed || !bytes_printf((picture)->text, __VA_ARGS__))

static void put_text(struct picture *picture, const char *text, size_t characters)
{
    picture->failed = picture->failed || !xml_text(picture->text, text, characters);
}

/* 335697 as "336k". */
#define SHORT_SIZE 32
static void write_short(double value, char ret_text[SHORT_SIZE])
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;

    for (; value >= 999.5 && unit + 1 < COUNT(units); unit++)
        value /= 1000;
    if (value >= 0.9995 && value < 999.5)
        snprintf(ret_text, SHORT_SIZE, "%.*f%s",
                 value >= 99.5    ? 0
                 : value >= 9.995 ? 1
                                  : 2,
                 value, units[unit]);
    else
        snprintf(ret_text, SHORT_SIZE, "%.3g%s", value, units[unit]);
}

/* "336k +- 0.9 %", or "336k, no interval". */
#define AMOUNT_SIZE (2 * SHORT_SIZE + 16)
static void write_amount(const struct amount *amount, char ret_text[AMOUNT_SIZE])
{
    double percent = 50 * (amount->high - amount->low) / amount->value;
    char value[SHORT_SIZE];

    write_short(amount->value, value);
    if (amount->has_interval)
        snprintf(ret_text, AMOUNT_SIZE, "%s " PLUS_MINUS " %.*f %%", value, percent < 9.95,
                 fmin(percent, 9999));
    else
        snprintf(ret_text, AMOUNT_SIZE, "%s, no interval", value);
}

/* Samples per dollar, or jobs per dollar. */
static bool has_number(const struct comparison_row *row)
{
    return row->has_cost && !row_is_of_jobs(row);
}

/* "c7i.2xlarge, native, bf16, batch 16" */
static void write_name(const struct contender *contender, char ret_name[256])
{
    const struct configuration *setup = &contender->setup;
    const char *precision = setup->precision ? setup->precision : setup->foreign_precision;
    int used = snprintf(ret_name, 256, "%s, %s%s%s",
                        contender->instance[0] ? contender->instance : "a machine without a type",
                        contender->engine, precision[0] ? ", " : "", precision);

    if (setup->batch_size > 0 && used > 0 && used < 256)
        snprintf(ret_name + used, 256 - (size_t)used, ", batch %lld", setup->batch_size);
    text_drop_cut_end(ret_name);
}

/* The subject of the numbers: "gpt2", or "gpt2, only branch=fast and ticket=1". */
#define NAME_MAX_SHOWN 42 /* characters */
static void put_subject(struct picture *picture, const struct comparison_question *question)
{
    put_text(picture, question->workload, NAME_MAX_SHOWN);
    for (int i = 0; i < question->label_count; i++) {
        PUT(picture, i == 0 ? ", only " : " and ");
        put_text(picture, question->labels[i].key, NAME_MAX_SHOWN);
        PUT(picture, "=");
        put_text(picture, question->labels[i].value, NAME_MAX_SHOWN);
    }
    if (question->sender) {
        PUT(picture, ", only runs of ");
        put_text(picture, question->sender, NAME_MAX_SHOWN);
    }
}

/* The chart, in units of its own. */
#define WIDTH 800
#define BARS_FROM 310 /* names stand to the left of it */
#define BARS_TO 650   /* and numbers to the right of that */
#define TOP 54
#define ROW 26
#define REASON_MAX_SHOWN 70 /* characters */

struct chart {
    struct picture picture;
    const struct comparison_row *rows;
    size_t count;
    double most; /* samples per dollar at BARS_TO; 0 where no row has a number */
};

static double place_of(const struct chart *chart, double value)
{
    return BARS_FROM + (BARS_TO - BARS_FROM) * fmax(0, fmin(1, value / chart->most));
}

static void put_whisker(struct chart *chart, const struct amount *amount, double y)
{
    double low = place_of(chart, amount->low), high = place_of(chart, amount->high);

    PUT(&chart->picture,
        "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\" stroke=\"#111827\" "
        "stroke-width=\"1.5\" fill=\"none\"/>",
        low, y, high, low, y - 4, high, y - 4);
}

static void put_bar(struct chart *chart, const struct comparison_row *row, double y)
{
    const struct amount *amount = &row->cost.samples_per_dollar;
    double to = place_of(chart, amount->value);
    const char *look = row->rank.low == 0      ? "fill=\"none\" stroke=\"#6b7280\""
                       : row->rank.may_be_best ? "fill=\"#2f855a\""
                                               : "fill=\"#93b5d6\"";
    char words[AMOUNT_SIZE];

    write_amount(amount, words);
    PUT(&chart->picture, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"14\" %s/>", BARS_FROM,
        y - 7, to - BARS_FROM, look);
    if (amount->has_interval)
        put_whisker(chart, amount, y);
    PUT(&chart->picture, "<text x=\"%d\" y=\"%.1f\">", BARS_TO + 10, y + 4);
    put_text(&chart->picture, words, NAME_MAX_SHOWN);
    PUT(&chart->picture, "</text>");
}

static void put_row(struct chart *chart, size_t i)
{
    const struct comparison_row *row = &chart->rows[i];
    double y = TOP + ROW * ((double)i + 0.5);
    char name[256];

    write_name(row->contender, name);
    if (row->rank.low > 0 && row->rank.low < row->rank.high)
        PUT(&chart->picture, "<text x=\"10\" y=\"%.1f\">%zu to %zu</text>", y + 4, row->rank.low,
            row->rank.high);
    else if (row->rank.low > 0)
        PUT(&chart->picture, "<text x=\"10\" y=\"%.1f\">%zu</text>", y + 4, row->rank.low);
    PUT(&chart->picture, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", BARS_FROM - 10, y + 4);
    put_text(&chart->picture, name, NAME_MAX_SHOWN);
    PUT(&chart->picture, "</text>");
    if (has_number(row)) {
        put_bar(chart, row, y);
        return;
    }
    PUT(&chart->picture, "<text x=\"%d\" y=\"%.1f\" fill=\"#4b5563\">", BARS_FROM, y + 4);
    put_text(&chart->picture, row->why_no_rank[0] ? row->why_no_rank : "no number",
             REASON_MAX_SHOWN);
    PUT(&chart->picture, "</text>");
}

static void put_head(struct chart *chart, const struct comparison_question *question,
                     double height)
{
    struct picture *picture = &chart->picture;

    PUT(picture,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d "
        "%.0f\" role=\"img\" aria-labelledby=\"t\" " FONT " font-size=\"11\" fill=\"#111827\">"
        "<title id=\"t\">Samples per dollar of ",
        WIDTH, height, WIDTH, height);
    put_subject(picture, question);
    PUT(picture, "</title><rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>"
                 "<text x=\"10\" y=\"20\" font-size=\"14\" font-weight=\"bold\">");
    put_subject(picture, question);
    PUT(picture,
        ": samples per dollar</text><text x=\"10\" y=\"38\" fill=\"#4b5563\">%s price; the lines "
        "are 95 %% intervals; filled dark: may be the best; hollow: not ranked</text>",
        price_choice_names[question->kinds[0]]);
}

bool present_comparison_svg(struct bytes *text, const struct comparison_question *question,
                            const struct ranking *ranking)
{
    size_t first =
        (size_t)question->offset < ranking->count ? (size_t)question->offset : ranking->count;
    size_t limit =
        question->limit < PICTURE_ROWS_MAX ? (size_t)question->limit : PICTURE_ROWS_MAX;
    struct chart chart = {.picture.text = text, .rows = ranking->rows + first};
    double height;

    chart.count = ranking->count - first < limit ? ranking->count - first : limit;
    for (size_t i = 0; i < chart.count; i++)
        if (has_number(&chart.rows[i])) {
            const struct amount *amount = &chart.rows[i].cost.samples_per_dollar;

            chart.most =
                fmax(chart.most, fmax(amount->value, amount->has_interval ? amount->high : 0));
        }
    height = TOP + ROW * fmax(1, (double)chart.count) + 30;
    put_head(&chart, question, height);
    for (size_t i = 0; i < chart.count; i++)
        put_row(&chart, i);
    if (chart.count == 0)
        PUT(&chart.picture, "<text x=\"10\" y=\"%d\">no data</text>", TOP + ROW / 2 + 4);
    PUT(&chart.picture,
        "<text x=\"10\" y=\"%.0f\" fill=\"#4b5563\">%zu more rows are not shown.</text></svg>\n",
        height - 12, ranking->filtered + ranking->count - chart.count);
    return !chart.picture.failed;
}

/* The badge: two fields of text, as wide as their characters are on average. */
#define CHARACTER 7
#define REFERENCE_MAX_SHOWN 24
#define GREY "#5b6470"
#define GREEN "#2b7a4b"
#define BLUE "#2563a8"

struct badge {
    char message[256];
    const char *colour;
    const struct comparison_row *row; /* NULL for no data */
};

static const struct comparison_row *row_of_badge(const struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->count; i++)
        if (has_number(&ranking->rows[i]) && &ranking->rows[i] != ranking->reference)
            return &ranking->rows[i];
    return NULL;
}

static struct badge badge_to_reference(const struct comparison_question *question,
                                       const struct comparison_row *row)
{
    struct badge badge = {.row = row, .colour = GREY, .message = "cannot be told apart"};
    enum comparison verdict = row->ratio.known
                                  ? compare_judge(&row->ratio, question->margin_percent / 100)
                                  : COMPARE_TIED;

    if (isnan(row->ratio.value) || !row->ratio.known)
        snprintf(badge.message, sizeof badge.message, "no interval");
    else if (verdict != COMPARE_TIED) {
        snprintf(badge.message, sizeof badge.message, "%.3g " TIMES " %.200s", row->ratio.value,
                 question->reference);
        text_drop_cut_end(badge.message);
        badge.colour = verdict == COMPARE_BETTER ? GREEN : BLUE;
    }
    return badge;
}

static struct badge badge_of(const struct comparison_question *question,
                             const struct ranking *ranking)
{
    const struct comparison_row *row = row_of_badge(ranking);
    struct badge badge = {.row = row, .colour = GREY, .message = "no data"};
    char words[AMOUNT_SIZE];

    if (!row)
        return badge;
    if (ranking->reference)
        return badge_to_reference(question, row);
    write_amount(&row->cost.samples_per_dollar, words);
    snprintf(badge.message, sizeof badge.message, "%s",
             row->rank.high > 1 ? "cannot be told apart" : words);
    if (row->rank.low == 1 && row->rank.high == 1)
        badge.colour = GREEN;
    return badge;
}

/* Text for screen readers: the row and the full number. */
static void put_badge_title(struct picture *picture, const struct comparison_question *question,
                            const struct badge *badge)
{
    char name[256];

    put_subject(picture, question);
    if (!badge->row) {
        PUT(picture, ": no data");
        return;
    }
    write_name(badge->row->contender, name);
    PUT(picture, " on ");
    put_text(picture, name, sizeof name);
    PUT(picture, ": ");
    put_text(picture, badge->message, sizeof badge->message);
    PUT(picture, "; %.4g samples per dollar", badge->row->cost.samples_per_dollar.value);
    if (badge->row->cost.samples_per_dollar.has_interval)
        PUT(picture, " (95 %%: %.4g to %.4g)", badge->row->cost.samples_per_dollar.low,
            badge->row->cost.samples_per_dollar.high);
}

static size_t characters_of(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

bool present_badge_svg(struct bytes *text, const struct comparison_question *question,
                       const struct ranking *ranking)
{
    static const char label[] = "samples/$";
    const struct badge badge = badge_of(question, ranking);
    size_t most = REFERENCE_MAX_SHOWN + 10, shown = characters_of(badge.message);
    size_t left = CHARACTER * (sizeof label - 1) + 10;
    size_t right = CHARACTER * (shown < most ? shown : most) + 10;
    struct picture picture = {.text = text};

    PUT(&picture,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"20\" role=\"img\" "
        "aria-labelledby=\"t\" " FONT " font-size=\"11\" fill=\"#ffffff\"><title id=\"t\">",
        left + right);
    put_badge_title(&picture, question, &badge);
    PUT(&picture,
        "</title><rect width=\"%zu\" height=\"20\" fill=\"#3b4148\"/><rect x=\"%zu\" "
        "width=\"%zu\" height=\"20\" fill=\"%s\"/><text x=\"5\" y=\"14\" textLength=\"%zu\">%s"
        "</text><text x=\"%zu\" y=\"14\" textLength=\"%zu\">",
        left, left, right, badge.colour, left - 10, label, left + 5, right - 10);
    put_text(&picture, badge.message, most);
    PUT(&picture, "</text></svg>\n");
    return !picture.failed;
}
