/* Runs the TEST()s of a program that has no main() of its own. */
#include "tests/test.h"

/* The linker's: where the row of pointers begins and ends. */
extern const struct test *const __start_tests[], *const __stop_tests[];

/* The first test below this line; NULL where there is none. */
static const struct test *next_test(int line)
{
    const struct test *next = NULL;

    for (const struct test *const *each = __start_tests; each < __stop_tests; each++)
        if ((*each)->line > line && (!next || (*each)->line < next->line))
            next = *each;
    return next;
}

int main(void)
{
    if (test_begin && !test_begin())
        return 1;
    for (const struct test *test = next_test(0); test; test = next_test(test->line))
        test->run();
    if (test_end)
        test_end();
    return __start_tests[0]->result();
}
