/* A test is a program of functions whose names are sentences:
 *     TEST(a_refused_spec_names_the_field) { EXPECT_STR(err.field, "steps"); }
 * tests/main.c runs them in the order of their lines, between test_begin() and test_end() of a
 * program that has these. One with a main() of its own RUN()s plain functions and returns
 * test_result(). Each EXPECT prints both values when they differ, and the exit status is the
 * verdict. Threads may use them too. */
#pragma once

#include "common/cleanup.h"

#include <stdatomic.h>
#include <stdbool.h>

/* So long a test waits for what must happen: machines are shared, and sanitizers slow. */
#define PATIENCE_SECONDS 300

static atomic_int test_failures, test_checks, test_skips;

static inline void test_fail(const char *file, int line, const char *what)
{
    test_failures++;
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

static inline void test_expect(int truth, const char *file, int line, const char *what)
{
    test_checks++;
    if (!truth)
        test_fail(file, line, what);
}

static inline void test_int(long long got, long long wanted, const char *file, int line,
                            const char *what)
{
    char text[1000];

    test_checks++;
    if (got == wanted)
        return;
    snprintf(text, sizeof text, "%s is %lld, expected %lld", what, got, wanted);
    test_fail(file, line, text);
}

static inline void test_near(double got, double wanted, double tolerance, const char *file,
                             int line, const char *what)
{
    char text[1000];
    double difference = got > wanted ? got - wanted : wanted - got;

    test_checks++;
    if (difference <= tolerance) /* false for NaN */
        return;
    snprintf(text, sizeof text, "%s is %.17g, expected %.17g within %g", what, got, wanted,
             tolerance);
    test_fail(file, line, text);
}

static inline void test_string(const char *got, const char *wanted, const char *file, int line,
                               const char *what)
{
    char text[2000];

    test_checks++;
    if (got && wanted ? strcmp(got, wanted) == 0 : got == wanted)
        return;
    snprintf(text, sizeof text, "%s is\n    \"%.800s\", expected\n    \"%.800s\"", what,
             got ? got : "(null)", wanted ? wanted : "(null)");
    test_fail(file, line, text);
}

static inline void test_part(const char *got, const char *part, const char *file, int line,
                             const char *what)
{
    char text[2000];

    test_checks++;
    if (got && strstr(got, part))
        return;
    snprintf(text, sizeof text, "%s is\n    \"%.800s\", without\n    \"%.800s\"", what,
             got ? got : "(null)", part);
    test_fail(file, line, text);
}

static inline void test_skip(const char *why)
{
    test_skips++;
    puts(why);
}

/* A check failed in a row of a table: which it was is said once. */
static int test_failures_told;

static inline void test_tell_row(const char *text, long long number)
{
    if (test_failures > test_failures_told)
        fprintf(stderr, "    with %s (row %lld)\n", text, number);
    test_failures_told = test_failures;
}

#define EXPECT(truth) test_expect(!!(truth), __FILE__, __LINE__, "not true: " #truth)
/* A truth without which the rest of the program would not make sense. */
#define REQUIRE(truth)                                                                           \
    do {                                                                                         \
        EXPECT(truth);                                                                           \
        if (!(truth))                                                                            \
            exit(test_result());                                                                 \
    } while (0)
#define EXPECT_INT(got, wanted) test_int((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_STR(got, wanted) test_string((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_NEAR(got, wanted, tolerance)                                                      \
    test_near((got), (wanted), (tolerance), __FILE__, __LINE__, #got)
/* `part` stands somewhere in the text. */
#define EXPECT_PART(got, part) test_part((got), (part), __FILE__, __LINE__, #got)

/* Does what follows for each of these texts, or values of a type, and says with which of them a
 * check failed:
 *     EACH_TEXT(wrong, "", "now", "2026-8-6")
 *         EXPECT(!parse_time(wrong, &us));
 *     EACH(struct pair, life, {"spot", "spot"}, {"on-demand", "on_demand"})
 *         EXPECT_STR(life_cycle_of(life.given), life.wanted); */
#define EACH_TEXT(text, ...)                                                                     \
    for (const char *text,                                                                       \
             *const *text##_first = TEST_ROWS(const char *const, __VA_ARGS__, NULL),             \
                    *const *text##_at = text##_first;                                            \
         (text = *text##_at) != NULL; test_tell_row(text, text##_at++ - text##_first))
#define EACH(type, item, ...)                                                                    \
    for (type item, *item##_first = TEST_ROWS(type, __VA_ARGS__), *item##_at = item##_first;     \
         item##_at < item##_first + sizeof((type[]){__VA_ARGS__}) / sizeof(type) &&              \
         (item = *item##_at, true);                                                              \
         test_tell_row(#item, item##_at++ - item##_first))
#define TEST_ROWS(type, ...) (test_failures_told = test_failures, (type[]){__VA_ARGS__})

struct pair {
    const char *given, *wanted;
};

/* At most 16 members of an object, and what each of them is: texts, whole numbers and, to the
 * last bit, real ones; or numbers within a tolerance; or members that are the same in another.
 *     EXPECT_HAS(*run, (state, RUN_FAILED), (reason, "no memory"), (paid.per_hour, 0.5));
 *     EXPECT_ABOUT(cost, 1e-9, (low, 8), (high, 12.5));
 *     EXPECT_SAME(*run, other, id.text, state, paid.per_hour); */
#define EXPECT_HAS(object, ...) TEST_EACH(TEST_HAS, object, __VA_ARGS__)
#define EXPECT_ABOUT(object, tolerance, ...)                                                     \
    TEST_EACH(TEST_ABOUT, (object, tolerance), __VA_ARGS__)
#define EXPECT_SAME(got, wanted, ...) TEST_EACH(TEST_SAME, (got, wanted), __VA_ARGS__)

/* A call whose last argument is `&err`, a struct error of the macro's own: it works, or it fails
 * with this kind, this message, a message with these words in it, or what else err has.
 *     EXPECT_ERROR(runs_find(db, "x", &run, &err), ERROR_NOT_FOUND); */
#define EXPECT_OK(call) TEST_CALL(EXPECT(call), EXPECT_STR(err.message, ""))
#define EXPECT_ERROR(call, kind_) TEST_CALL(EXPECT(!(call)), EXPECT_INT(err.kind, (kind_)))
#define EXPECT_MESSAGE(call, message_)                                                           \
    TEST_CALL(EXPECT(!(call)), EXPECT_STR(err.message, (message_)))
#define EXPECT_SAYS(call, words) TEST_CALL(EXPECT(!(call)), EXPECT_PART(err.message, (words)))
#define EXPECT_ERROR_MESSAGE(call, kind_, message_)                                              \
    TEST_CALL(EXPECT(!(call)),                                                                   \
              (EXPECT_INT(err.kind, (kind_)), EXPECT_STR(err.message, (message_))))
#define EXPECT_FAILS(call, ...) TEST_CALL(EXPECT(!(call)), EXPECT_HAS(err, __VA_ARGS__))
#define EXPECT_ERROR_SAYS(call, kind_, words)                                                    \
    TEST_CALL(EXPECT(!(call)), (EXPECT_INT(err.kind, (kind_)), EXPECT_PART(err.message, (words))))

/* The same where what was given is wrong: ERROR_INVALID, of this field. */
#define EXPECT_INVALID(call, field_)                                                             \
    TEST_CALL(EXPECT(!(call)),                                                                   \
              (EXPECT_INT(err.kind, ERROR_INVALID), EXPECT_STR(err.field, (field_))))
#define EXPECT_WRONG(call, field_, message_)                                                     \
    TEST_CALL(EXPECT(!(call)),                                                                   \
              (EXPECT_INT(err.kind, ERROR_INVALID), EXPECT_STR(err.field, (field_)),             \
               EXPECT_STR(err.message, (message_))))
#define EXPECT_WRONG_SAYS(call, field_, words)                                                   \
    TEST_CALL(EXPECT(!(call)),                                                                   \
              (EXPECT_INT(err.kind, ERROR_INVALID), EXPECT_STR(err.field, (field_)),             \
               EXPECT_PART(err.message, (words))))

#define TEST_CALL(expect_result, expect_error)                                                   \
    do {                                                                                         \
        struct error err = {0};                                                                  \
                                                                                                 \
        expect_result;                                                                           \
        expect_error;                                                                            \
    } while (0)

struct test_value {
    enum { TEST_WHOLE, TEST_REAL, TEST_TEXT } kind;
    long long whole;
    double real;
    const char *text;
};

/* Each choice must be right for every type, though only one is taken. Versions of clang-format
 * differ about braces in a macro. */
/* clang-format off */
#define TEST_VALUE(x)                                                                            \
    (&(struct test_value){                                                                       \
        _Generic((x), char *: TEST_TEXT, const char *: TEST_TEXT, void *: TEST_TEXT,             \
                 float: TEST_REAL, double: TEST_REAL, default: TEST_WHOLE),                      \
        (long long)_Generic((x), char *: 0, const char *: 0, void *: 0, float: 0, double: 0,     \
                            default: (x)),                                                       \
        _Generic((x), float: (x), double: (x), default: 0.0),                                    \
        _Generic((x), char *: (x), const char *: (x), default: NULL)})
/* clang-format on */

static inline void test_value(const struct test_value *got, const struct test_value *wanted,
                              const char *file, int line, const char *what)
{
    double real = wanted->kind == TEST_REAL ? wanted->real : (double)wanted->whole;

    if (got->kind == TEST_TEXT)
        test_string(got->text, wanted->text, file, line, what);
    else if (got->kind == TEST_REAL)
        test_near(got->real, real, 0, file, line, what);
    else
        test_int(got->whole, wanted->whole, file, line, what);
}

#define TEST_HAS(object, pair) TEST_HAS_(object, TEST_BARE pair)
#define TEST_BARE(...) __VA_ARGS__
#define TEST_HAS_(...) TEST_HAS__(__VA_ARGS__)
#define TEST_HAS__(object, member, wanted)                                                       \
    test_value(TEST_VALUE((object).member), TEST_VALUE(wanted), __FILE__, __LINE__,              \
               #object "." #member);
#define TEST_ABOUT(object, pair) TEST_ABOUT_(TEST_BARE object, TEST_BARE pair)
#define TEST_ABOUT_(...) TEST_ABOUT__(__VA_ARGS__)
#define TEST_ABOUT__(object, tolerance, member, wanted)                                          \
    test_near((object).member, (wanted), (tolerance), __FILE__, __LINE__, #object "." #member);
#define TEST_SAME(objects, member) TEST_SAME_(TEST_BARE objects, member)
#define TEST_SAME_(...) TEST_SAME__(__VA_ARGS__)
#define TEST_SAME__(got, wanted, member) TEST_HAS__(got, member, (wanted).member)

#define TEST_EACH_1(does, o, a) does(o, a)
#define TEST_EACH_2(does, o, a, ...) does(o, a) TEST_EACH_1(does, o, __VA_ARGS__)
#define TEST_EACH_3(does, o, a, ...) does(o, a) TEST_EACH_2(does, o, __VA_ARGS__)
#define TEST_EACH_4(does, o, a, ...) does(o, a) TEST_EACH_3(does, o, __VA_ARGS__)
#define TEST_EACH_5(does, o, a, ...) does(o, a) TEST_EACH_4(does, o, __VA_ARGS__)
#define TEST_EACH_6(does, o, a, ...) does(o, a) TEST_EACH_5(does, o, __VA_ARGS__)
#define TEST_EACH_7(does, o, a, ...) does(o, a) TEST_EACH_6(does, o, __VA_ARGS__)
#define TEST_EACH_8(does, o, a, ...) does(o, a) TEST_EACH_7(does, o, __VA_ARGS__)
#define TEST_EACH_9(does, o, a, ...) does(o, a) TEST_EACH_8(does, o, __VA_ARGS__)
#define TEST_EACH_10(does, o, a, ...) does(o, a) TEST_EACH_9(does, o, __VA_ARGS__)
#define TEST_EACH_11(does, o, a, ...) does(o, a) TEST_EACH_10(does, o, __VA_ARGS__)
#define TEST_EACH_12(does, o, a, ...) does(o, a) TEST_EACH_11(does, o, __VA_ARGS__)
#define TEST_EACH_13(does, o, a, ...) does(o, a) TEST_EACH_12(does, o, __VA_ARGS__)
#define TEST_EACH_14(does, o, a, ...) does(o, a) TEST_EACH_13(does, o, __VA_ARGS__)
#define TEST_EACH_15(does, o, a, ...) does(o, a) TEST_EACH_14(does, o, __VA_ARGS__)
#define TEST_EACH_16(does, o, a, ...) does(o, a) TEST_EACH_15(does, o, __VA_ARGS__)
#define TEST_EACH(does, o, ...)                                                                  \
    do {                                                                                         \
        TEST_COUNTED(TEST_EACH_, __VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,   \
                     2, 1, 0)                                                                    \
        (does, o, __VA_ARGS__)                                                                   \
    } while (0)
#define TEST_COUNTED(name, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15,     \
                     _16, n, ...)                                                                \
    name##n

/* What a program does before its tests, false where they cannot run; and after them. */
bool test_begin(void) __attribute__((weak));
void test_end(void) __attribute__((weak));

#define RUN(test) TEST_RUN(test, test())

#define TEST_RUN(name, call)                                                                     \
    do {                                                                                         \
        int failures_before = test_failures;                                                     \
        call;                                                                                    \
        printf("%s %s\n", test_failures == failures_before ? "ok    " : "FAILED", #name);        \
    } while (0)

static inline int test_result(void)
{
    printf("%d checks, %d failed\n", test_checks, test_failures);
    return test_failures > 0 || test_checks + test_skips == 0;
}

/* What tests/main.c finds of each TEST. */
struct test {
    int line;
    void (*run)(void);
    int (*result)(void); /* of all tests of the program */
};

#define TEST(name)                                                                               \
    static void name(void);                                                                      \
    TEST_FOUND(name, name())                                                                     \
    static void name(void)

/* A test of what this machine may lack. A program whose tests are all skipped passes. */
#define TEST_WHERE(can, name)                                                                    \
    static void name(void);                                                                      \
    TEST_FOUND(name, can() ? name() : test_skip("skipped: not true here: " #can "()"))           \
    static void name(void)

/* A test that is given something: make() makes it, calls the test with it, and clears it. */
#define TEST_GIVEN(name, given, make)                                                            \
    static void name(given);                                                                     \
    TEST_FOUND(name, make(name))                                                                 \
    static void name(given)

/* A make() for TEST_GIVEN: begin() fills what the test is given, and end() clears it. */
#define TEST_MAKER(make, type, begin, end)                                                       \
    static void make(void (*test)(type *))                                                       \
    {                                                                                            \
        type given;                                                                              \
                                                                                                 \
        begin(&given);                                                                           \
        test(&given);                                                                            \
        end(&given);                                                                             \
    }

/* The linker puts these pointers in a row. */
#define TEST_FOUND(name, call)                                                                   \
    static void run_##name(void)                                                                 \
    {                                                                                            \
        TEST_RUN(name, call);                                                                    \
    }                                                                                            \
    static const struct test test_##name = {__LINE__, run_##name, test_result};                  \
    static const struct test *const found_##name __attribute__((section("tests"), used)) =       \
        &test_##name;
