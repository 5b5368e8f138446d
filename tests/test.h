/* A test is a program of functions whose names are sentences:
 *     TEST(a_refused_spec_names_the_field) { EXPECT_STR(err.field, "steps"); }
 * tests/main.c runs them in the order of their lines, between test_begin() and test_end() of a
 * program that has these. One with a main() of its own RUN()s plain functions and returns
 * test_result(). Each EXPECT prints both values when they differ, and the exit status is the
 * verdict. Threads may use them too. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

#define EXPECT(truth) test_expect(!!(truth), __FILE__, __LINE__, "not true: " #truth)
#define EXPECT_INT(got, wanted) test_int((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_STR(got, wanted) test_string((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_NEAR(got, wanted, tolerance)                                                      \
    test_near((got), (wanted), (tolerance), __FILE__, __LINE__, #got)
/* `part` stands somewhere in the text. */
#define EXPECT_PART(got, part) test_part((got), (part), __FILE__, __LINE__, #got)

/* A call whose last argument is `&err`, a struct error of the macro's own: it works, or it fails
 * with this kind, this message, or a message with these words in it.
 *     EXPECT_ERROR(runs_find(db, "x", &run, &err), ERROR_NOT_FOUND); */
#define EXPECT_OK(call) TEST_CALL(EXPECT(call), EXPECT_STR(err.message, ""))
#define EXPECT_ERROR(call, kind_) TEST_CALL(EXPECT(!(call)), EXPECT_INT(err.kind, (kind_)))
#define EXPECT_MESSAGE(call, message_)                                                           \
    TEST_CALL(EXPECT(!(call)), EXPECT_STR(err.message, (message_)))
#define EXPECT_SAYS(call, words) TEST_CALL(EXPECT(!(call)), EXPECT_PART(err.message, (words)))
#define EXPECT_ERROR_MESSAGE(call, kind_, message_)                                              \
    TEST_CALL(EXPECT(!(call)),                                                                   \
              (EXPECT_INT(err.kind, (kind_)), EXPECT_STR(err.message, (message_))))
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
