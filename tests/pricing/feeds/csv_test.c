/* CSV of any size, cut into records while it arrives. */
#include "pricing/feeds/csv.h"

#include "tests/test.h"

/* What came out, as text: "field|field;" for each record. */
struct found {
    char text[4000];
    size_t used, records, stop_after;
};

static bool note(void *user, char *const fields[], size_t count, struct error *err)
{
    struct found *found = user;

    if (++found->records == found->stop_after)
        return error_set(err, ERROR_UPSTREAM, NULL, "enough");
    for (size_t i = 0; i < count; i++)
        found->used +=
            (size_t)snprintf(found->text + found->used, sizeof found->text - found->used,
                             "%.60s%s", fields[i], i + 1 < count ? "|" : ";");
    return true;
}

static bool split_with(struct csv *csv, const char *text, size_t length, size_t piece,
                       struct error *err)
{
    for (size_t at = 0; at < length; at += piece)
        if (!csv_feed(csv, text + at, piece < length - at ? piece : length - at, err))
            return false;
    return csv_end(csv, err);
}

static bool split(const char *text, size_t length, size_t piece, struct found *found,
                  struct error *err)
{
    AUTO(csv_freep) struct csv *csv = csv_new(note, found);

    return split_with(csv, text, length, piece, err);
}

static void expect_records(const char *text, const char *expected)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        struct found found = {.used = 0};

        EXPECT_OK(split(text, strlen(text), piece, &found, &err));
        EXPECT_STR(found.text, expected);
    }
}

TEST(lines_are_records_and_commas_part_fields)
{
    expect_records("a,b,c\nd,e,f\n", "a|b|c;d|e|f;");
    expect_records("a,b\r\nc,d\r\n", "a|b;c|d;");
    expect_records("a\n\n\r\nb\n", "a;b;"); /* a blank line is no record */
    expect_records("", "");
    expect_records("\n\r\n", "");
    expect_records(",\n,,\n", "|;||;");
    expect_records("a,\r\n,b\r\n", "a|;|b;");
    expect_records(" a , b\n", " a | b;"); /* blanks belong to the field */
}

TEST(the_last_line_may_have_no_end)
{
    expect_records("a,b", "a|b;");
    expect_records("a,", "a|;");
    expect_records("a,\"b\"", "a|b;");
    expect_records("a,b\r", "a|b;");
    expect_records("a,\"b\"\r", "a|b;");
    expect_records("\"\"", ";");
}

TEST(quotes_hold_commas_lines_and_quotes)
{
    expect_records("\"a,b\",\"c\nd\",\"e\r\nf\"\n", "a,b|c\nd|e\r\nf;");
    expect_records("\"a\"\"b\",\"\"\"\",\"\"\n", "a\"b|\"|;");
    expect_records("\"a\"\r\n\"b\"\r\n", "a;b;");
    expect_records("\"\"\n", ";"); /* one field, empty: not a blank line */
}

TEST(text_that_is_not_csv_is_refused)
{
    EACH(struct pair, row, {"\"abc", "the text ends within a quoted field"},
         {"a,\"b\n", "the text ends within a quoted field"},
         {"a\"b\n", "there is a quote within a field"},
         {"a,b\"\n", "there is a quote within a field"},
         {"\"a\"b\n", "there is text behind a quoted field"},
         {"\"a\" ,b\n", "there is text behind a quoted field"},
         {"\"a\"\r\"b\"\n", "there is a CR that ends no line"},
         {"\"a\"\r,b\n", "there is a CR that ends no line"},
         {"a\rb\n", "there is a CR that ends no line"},
         {"a,\r5\n", "there is a CR that ends no line"},
         {"\ra\n", "there is a CR that ends no line"},
         {"a\r\r\n", "there is a CR that ends no line"},
         {"\r\"a\"\n", "there is a CR that ends no line"})
        for (size_t piece = 1; piece < 12; piece++) {
            struct found found = {.used = 0};

            EXPECT_ERROR_MESSAGE(split(row.given, strlen(row.given), piece, &found, &err),
                                 ERROR_UPSTREAM, row.wanted);
        }
}

TEST(a_nul_would_cut_a_field_and_is_refused)
{
    EACH_TEXT(text, "a,1\0002\n", "\0a,1\n\n", "\"a\0\",\n\n") {
        struct found found = {.used = 0};

        EXPECT_MESSAGE(split(text, 6, 6, &found, &err), "there is a NUL in the text");
        EXPECT_STR(found.text, "");
    }
}

/* A record of `count` fields, each of `width` bytes. */
static char *record_of(size_t count, size_t width)
{
    char *text = malloc(count * (width + 1) + 1);

    memset(text, 'x', count * (width + 1));
    for (size_t i = 1; i <= count; i++)
        text[i * (width + 1) - 1] = i == count ? '\n' : ',';
    text[count * (width + 1)] = '\0';
    return text;
}

static bool split_record(size_t count, size_t width, struct error *err)
{
    AUTO(freep) char *text = record_of(count, width);
    struct found found = {.used = 0};
    bool ok = split(text, strlen(text), 1000, &found, err);

    EXPECT_INT((long long)found.records, ok);
    return ok;
}

TEST(records_are_bounded)
{
    EXPECT(split_record(CSV_FIELDS_MAX, 0, NULL));
    EXPECT_MESSAGE(split_record(CSV_FIELDS_MAX + 1, 0, &err),
                   "a record has more than 160 fields");
    EXPECT(split_record(1, CSV_RECORD_MAX - 1, NULL));
    EXPECT_MESSAGE(split_record(1, CSV_RECORD_MAX, &err), "a record is longer than 65536 bytes");
    EXPECT(split_record(16, CSV_RECORD_MAX / 16 - 1, NULL));
    EXPECT(!split_record(16, CSV_RECORD_MAX / 16, NULL));
}

TEST(the_receiver_of_records_may_stop)
{
    struct found found = {.stop_after = 2};

    EXPECT_MESSAGE(split("a\nb\nc\n", 6, 6, &found, &err), "enough");
    EXPECT_HAS(found, (text, "a;"), (records, 2));
    found = (struct found){.stop_after = 1};
    EXPECT(!split("a", 1, 1, &found, NULL)); /* at the end, too */
}

static void expect_lenient(const char *text, const char *expected, char separator)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
        struct found found = {.used = 0};
        AUTO(csv_freep) struct csv *csv = csv_new_lenient(note, &found);

        EXPECT_OK(split_with(csv, text, strlen(text), piece, &err));
        EXPECT_STR(found.text, expected);
        EXPECT_INT(csv_separator(csv), separator);
    }
}

TEST(what_spreadsheets_write_is_read_leniently)
{
    expect_lenient("a,b\nc,d;e\n", "a|b;c|d;e;", ',');
    expect_lenient("a;b\n1,5;d\n", "a|b;1,5|d;", ';');
    expect_lenient("a\tb\n1,5\td;e\n", "a|b;1,5|d;e;", '\t');
    expect_lenient(" a , b\n\"c\" , \" d \" \n", "a|b;c| d ;", ',');
    expect_lenient("\"a;b\",c d \n  ,\n   \n", "a;b|c d;|;", ',');
    expect_lenient("alone\n", "alone;", '\0');
}

TEST(text_behind_a_quoted_field_is_refused_leniently_too)
{
    EACH_TEXT(text, "\"a\" b\n", "\"a\" \"b\"\n") {
        struct found found = {.used = 0};
        AUTO(csv_freep) struct csv *csv = csv_new_lenient(note, &found);

        EXPECT_MESSAGE(split_with(csv, text, strlen(text), 1, &err),
                       "there is text behind a quoted field");
    }
}

struct lines {
    struct csv *csv;
    long long list[8];
    size_t count;
};

static bool note_line(void *user, char *const fields[], size_t count, struct error *err)
{
    struct lines *lines = user;

    (void)fields, (void)count, (void)err;
    lines->list[lines->count++ % COUNT(lines->list)] = csv_line(lines->csv);
    return true;
}

TEST(a_record_has_the_line_it_begins_on)
{
    static const char text[] = "a,b\n\n\"c\nd\",e\r\n\nf\n \ng,";
    static const long long expected[] = {1, 3, 6, 8};

    for (size_t piece = 1; piece <= sizeof text; piece++) {
        struct lines lines = {.count = 0};
        AUTO(csv_freep) struct csv *csv = lines.csv = csv_new_lenient(note_line, &lines);

        EXPECT_OK(split_with(csv, text, strlen(text), piece, &err));
        EXPECT_INT((long long)lines.count, (long long)COUNT(expected));
        for (size_t i = 0; i < COUNT(expected); i++)
            EXPECT_INT(lines.list[i], expected[i]);
    }
}
