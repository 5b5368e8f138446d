#include "common/memory.h"

#include "tests/test.h"

#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

/* Volatile: the compiler knows that it is too much. */
static const volatile size_t too_much = SIZE_MAX / 4;

/* The sanitizer would end the process before malloc() returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

TEST(memory_is_zeroed_copied_and_never_null)
{
    AUTO(freep) char *zeroed = xcalloc(3, 2);
    AUTO(freep) char *copy = xmemdup("abc", 2);
    AUTO(freep) char *text = xstrdup("text");
    AUTO(freep) char *cut = xstrndup("text", 2);
    AUTO(freep) char *whole = xstrndup("text", 100);
    AUTO(freep) char *printed = xasprintf("%d of %s", 3, "four");
    AUTO(freep) void *nothing = xcalloc(0, 8);

    EXPECT(memcmp(zeroed, "\0\0\0\0\0\0", 6) == 0);
    EXPECT(memcmp(copy, "ab", 2) == 0);
    EXPECT_STR(text, "text");
    EXPECT_STR(cut, "te");
    EXPECT_STR(whole, "text");
    EXPECT_STR(printed, "3 of four");
    EXPECT(nothing != NULL);
}

TEST(an_array_keeps_its_items_as_it_grows)
{
    AUTO(freep) int *numbers = NULL;
    size_t room = 0;

    for (int i = 0; i < 1000; i++) {
        numbers = xgrow(numbers, (size_t)i, &room, sizeof *numbers);
        EXPECT(room > (size_t)i);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        EXPECT_INT(numbers[i], i);
    EXPECT_INT((long long)room, 1024);
}

static void ask_malloc(void)
{
    free(xmalloc(too_much));
}

static void ask_calloc(void)
{
    free(xcalloc(too_much, 8)); /* more than a size can say */
}

static void ask_realloc(void)
{
    free(xrealloc(xmalloc(1), too_much));
}

static void ask_reallocarray(void)
{
    free(xreallocarray(NULL, too_much, 8));
}

static void ask_jansson(void)
{
    json_decref(json_stringn_nocheck("", too_much));
}

/* What the process says that asks. */
static void die(void (*ask)(void), char *said, size_t size)
{
    int status, ends[2];
    size_t used = 0;
    ssize_t length;

    EXPECT(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        ask();
        _exit(0);
    }
    close(ends[1]);
    while ((length = read(ends[0], said + used, size - 1 - used)) > 0)
        used += (size_t)length;
    said[used] = '\0';
    close(ends[0]);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(a_process_without_memory_ends_and_says_how_much_it_asked_for)
{
    void (*const asks[])(void) = {ask_malloc, ask_calloc, ask_realloc, ask_reallocarray,
                                  ask_jansson};
    char said[4096], expected[80];

    for (size_t i = 0; i < COUNT(asks); i++) {
        die(asks[i], said, sizeof said);
        EXPECT_PART(said, "out of memory: ");
    }
    die(ask_malloc, said, sizeof said);
    snprintf(expected, sizeof expected, "out of memory: %zu bytes were asked for\n", too_much);
    EXPECT_PART(said, expected);
}
