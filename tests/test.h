/* A test is a program of functions whose names are sentences:
 *     int main(void) { RUN(a_refused_spec_names_the_field); return test_result(); }
 * Each EXPECT prints both values when they differ, and the exit status is the verdict. Threads
 * may use them too. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* So long a test waits for what must happen: machines are shared, and sanitizers slow. */
#define PATIENCE_SECONDS 300

static atomic_int test_failures, test_checks;

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
    char text[300];

    test_checks++;
    if (got == wanted)
        return;
    snprintf(text, sizeof text, "%s is %lld, expected %lld", what, got, wanted);
    test_fail(file, line, text);
}

static inline void test_near(double got, double wanted, double tolerance, const char *file,
                             int line, const char *what)
{
    char text[300];
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

#define EXPECT(truth) test_expect(!!(truth), __FILE__, __LINE__, "not true: " #truth)
#define EXPECT_INT(got, wanted) test_int((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_STR(got, wanted) test_string((got), (wanted), __FILE__, __LINE__, #got)
#define EXPECT_NEAR(got, wanted, tolerance)                                                      \
    test_near((got), (wanted), (tolerance), __FILE__, __LINE__, #got)

#define RUN(test)                                                                                \
    do {                                                                                         \
        int failures_before = test_failures;                                                     \
        test();                                                                                  \
        printf("%s %s\n", test_failures == failures_before ? "ok    " : "FAILED", #test);        \
    } while (0)

static inline int test_result(void)
{
    printf("%d checks, %d failed\n", test_checks, test_failures);
    return test_failures > 0 || test_checks == 0;
}
