#include "answers/parameters.h"

#include "tests/test.h"

struct asked {
    long long limit, since_us;
    double share, pause;
    const char *order, *name, *provider;
    bool all;
    int colours;
    const char *shape;
    int shapes;
};

static bool read_colour(const struct parameter_row *row, const char *value, void *into,
                        struct error *err)
{
    ++*(int *)into;
    return strcmp(value, "red") == 0 || error_set(err, ERROR_INVALID, row->name, "must be red");
}

static const char *shape_at(size_t place)
{
    static const char *const shapes[] = {"round", "square"};

    return place < COUNT(shapes) ? shapes[place] : NULL;
}

static const char *const orders[] = {"up", "down", NULL};

#define AT(member) .offset = offsetof(struct asked, member)
static const struct parameter_row rows[] = {
    {"limit", PARAMETER_INTEGER, AT(limit), .min = 1, .max = 200, .usual = "50",
     .meaning = "Rows."},
    {"since", PARAMETER_TIME, AT(since_us), .meaning = "From then on."},
    {"share", PARAMETER_NUMBER, AT(share), .max = 1, .meaning = "A share."},
    {"pause", PARAMETER_AMOUNT, AT(pause), .max = 10, .usual = "2.5", .meaning = "Seconds."},
    {"order", PARAMETER_CHOICE, AT(order), .choices = orders, .usual = "up", .meaning = "Order."},
    {"name", PARAMETER_WORD, AT(name), .max = 4, .meaning = "A name."},
    {"provider", PARAMETER_PROVIDER, AT(provider), .meaning = "A provider."},
    {"all", PARAMETER_FLAG, AT(all), .usual = "false", .meaning = "All."},
    {"colour", PARAMETER_OWN, AT(colours), .read = read_colour, .repeats = 3,
     .schema = "{\"const\": \"red\"}", .meaning = "A colour."},
    {"shape", PARAMETER_NAME, AT(shape), .name_at = shape_at, .meaning = "A shape."},
    {"shapes", PARAMETER_NAMES, AT(shapes), .name_at = shape_at, .read = read_colour,
     .meaning = "Shapes."},
    {0},
};
#undef AT

static bool check_share(const struct query *query, void *into, struct error *err)
{
    const struct asked *asked = into;

    return asked->share <= 0 || query_find(query, "name") ||
           error_set(err, ERROR_INVALID, "name", "is needed with share");
}

static const struct parameters all = {
    .size = sizeof(struct asked), .parts = {{rows}}, .check = check_share};
static const char *const two[] = {"limit", "all", NULL};
static const struct parameters some = {.size = sizeof(struct asked),
                                       .parts = {{rows, .only = two}}};

static bool ask(const struct parameters *parameters, const char *target, struct asked *ret_asked,
                struct error *err)
{
    static struct query query; /* texts are borrowed from it */

    memset(ret_asked, 0, sizeof *ret_asked);
    EXPECT(query_read(target, &query, NULL));
    return parameters_read(parameters, &query, ret_asked, err);
}

TEST(values_are_read_by_their_rows)
{
    struct asked asked;

    EXPECT_OK(ask(&all,
                  "/?limit=200&since=2026-01-02&share=0.5&pause=0&order=down&name=%C3%A9%C3%A9x"
                  "&provider=aws&all=true&colour=red&colour=red&shape=square&shapes=red",
                  &asked, &err));
    EXPECT_HAS(asked, (limit, 200), (since_us, 1767312000000000LL));
    EXPECT(asked.share == 0.5 && asked.pause == 0 && asked.all);
    EXPECT_HAS(asked, (order, "down"), (name, "\303\251\303\251x"), (provider, "aws"),
               (colours, 2), (shape, "square"), (shapes, 1));
}

TEST(what_is_not_given_has_its_default_or_is_zero)
{
    struct asked asked;

    EXPECT(ask(&all, "/", &asked, NULL));
    EXPECT_INT(asked.limit, 50);
    EXPECT(asked.pause == 2.5 && asked.share == 0 && !asked.all && !asked.name);
    EXPECT_HAS(asked, (order, "up"), (colours, 0));
}

TEST(wrong_values_name_their_parameter)
{
    static const struct {
        const char *target, *field, *message;
    } wrong[] = {
        {"/?limit=0", "limit", "must be between 1 and 200, got 0"},
        {"/?limit=x", "limit", "must be an integer between 1 and 200, got 'x'"},
        {"/?limit=1&limit=1", "limit", "is given twice"},
        {"/?since=yesterday", "since",
         "must be a time like 2026-01-02T03:04:05Z, or a day like 2026-01-02, got 'yesterday'"},
        {"/?share=0", "share", "must be more than 0 and at most 1, got 0"},
        {"/?pause=11", "pause", "must be at least 0 and at most 10, got 11"},
        {"/?order=left", "order", "'left' is not supported"},
        {"/?name=", "name", "must have between 1 and 4 characters, got 0"},
        {"/?name=%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9", "name",
         "must have between 1 and 4 characters, got 5"},
        {"/?name=+x", "name", "begins or ends with a blank: ' x'"},
        {"/?name=%ff", "name", "is not UTF-8"},
        {"/?provider=amazon", "provider",
         "'amazon' is written 'aws' here: nothing has the other name"},
        {"/?all=yes", "all", "must be true or false, got 'yes'"},
        {"/?colour=blue", "colour", "must be red"},
        {"/?colour=red&colour=red&colour=red&colour=red", "colour",
         "may be given at most 3 times"},
        {"/?share=0.5", "name", "is needed with share"},
        {"/?nam=x", "nam",
         "is not a known parameter here; known are limit, since, share, pause, order, name, "
         "provider, all, colour, shape, shapes"},
        {"/?shape=roun", "shape", "is an unknown name; known are round, square"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct asked asked;

        EXPECT_WRONG(ask(&all, wrong[i].target, &asked, &err), wrong[i].field, wrong[i].message);
    }
}

TEST(a_choice_says_what_is_allowed)
{
    struct error err = {0};
    struct asked asked;

    EXPECT(!ask(&all, "/?order=left", &asked, &err));
    EXPECT(err.allowed.choices == orders);
    error_clear(&err);
    EXPECT(!ask(&all, "/?all=1", &asked, &err));
    EXPECT_STR(err.allowed.choices[1], "true");
}

TEST(rows_that_are_left_out_are_unknown_and_keep_their_defaults)
{
    struct asked asked;

    EXPECT(ask(&some, "/?limit=7&all=true", &asked, NULL));
    EXPECT(asked.limit == 7 && asked.all && asked.pause == 2.5);
    EXPECT_MESSAGE(ask(&some, "/?pause=1", &asked, &err),
                   "is not a known parameter here; known are limit, all");
}

TEST(without_rows_nothing_is_known_or_all_is_ignored)
{
    static const struct parameters any = {.any = true};
    struct asked asked;

    EXPECT(ask(NULL, "/", &asked, NULL));
    EXPECT_INVALID(ask(NULL, "/?x=1", &asked, &err), "x");
    EXPECT(ask(&any, "/?x=1&x=%ff", &asked, NULL));
}

TEST(the_rows_describe_themselves)
{
    static const char *const schemas[] = {
        "{\"default\": 50, \"maximum\": 200, \"minimum\": 1, \"type\": \"integer\"}",
        "{\"$ref\": \"#/components/schemas/Moment\"}",
        "{\"exclusiveMinimum\": 0, \"maximum\": 1, \"type\": \"number\"}",
        "{\"default\": 2.5, \"maximum\": 10, \"minimum\": 0, \"type\": \"number\"}",
        "{\"default\": \"up\", \"enum\": [\"up\", \"down\"], \"type\": \"string\"}",
        NULL,
        NULL,
        "{\"default\": false, \"type\": \"boolean\"}",
        "{\"items\": {\"const\": \"red\"}, \"maxItems\": 3, \"type\": \"array\"}",
        "{\"enum\": [\"round\", \"square\"], \"type\": \"string\"}",
        "{\"items\": {\"enum\": [\"round\", \"square\"], \"type\": \"string\"}, \"minItems\": 1, "
        "\"type\": \"array\"}",
    };
    AUTO(json_decrefp) json_t *list = parameters_describe(&all);
    AUTO(json_decrefp) json_t *short_list = parameters_describe(&some);

    EXPECT_INT((long long)json_array_size(list), COUNT(rows) - 1);
    EXPECT_INT((long long)json_array_size(short_list), 2);
    for (size_t i = 0; i < COUNT(rows) - 1; i++) {
        const json_t *one = json_array_get(list, i), *schema = json_object_get(one, "schema");
        AUTO(freep) char *text = json_dumps(schema, JSON_SORT_KEYS);

        EXPECT_STR(json_string_value(json_object_get(one, "name")), rows[i].name);
        EXPECT_STR(json_string_value(json_object_get(one, "in")), "query");
        EXPECT_STR(json_string_value(json_object_get(one, "description")), rows[i].meaning);
        if (schemas[i])
            EXPECT_STR(text, schemas[i]);
        else
            EXPECT_INT(json_integer_value(json_object_get(schema, "maxLength")),
                       rows[i].max ? rows[i].max : QUERY_WORD_MAX);
    }
}
