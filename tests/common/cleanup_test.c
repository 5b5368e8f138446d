#include "common/cleanup.h"

#include "tests/test.h"

#include <fcntl.h>

static int released;

static void note_release(const int *value)
{
    released += *value;
}

static void a_scope_releases_what_it_owns(void)
{
    released = 0;
    {
        AUTO(note_release) int one = 1, ten = 10;

        EXPECT_INT(one + ten, 11);
        EXPECT_INT(released, 0);
    }
    EXPECT_INT(released, 11);
}

static char *make_text(void)
{
    AUTO(freep) char *text = strdup("kept");

    return take(&text);
}

static void take_hands_a_pointer_out_of_its_scope(void)
{
    AUTO(freep) char *text = make_text();
    char *same = text, *taken = take(&text);

    EXPECT(taken == same && text == NULL);
    EXPECT_STR(taken, "kept");
    EXPECT(take(&text) == NULL);
    free(taken);
}

static void freep_leaves_null_and_takes_null(void)
{
    char *text = strdup("gone");

    freep(&text);
    EXPECT(text == NULL);
    freep(&text);
    EXPECT(text == NULL);
}

static void fclosep_takes_null(void)
{
    AUTO(fclosep) FILE *nothing = NULL;
    AUTO(fclosep) FILE *file = fopen("/dev/null", "re");

    EXPECT(file != NULL && nothing == NULL);
}

static void closep_closes_once_and_leaves_no_descriptor(void)
{
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), number = descriptor;

    EXPECT(descriptor >= 0);
    closep(&descriptor);
    EXPECT_INT(descriptor, -1);
    EXPECT_INT(fcntl(number, F_GETFD), -1);
    closep(&descriptor);
    EXPECT_INT(descriptor, -1);
}

static void descriptor_zero_is_closed_too(void)
{
    int zero = 0, saved = dup(0);

    closep(&zero);
    EXPECT_INT(fcntl(0, F_GETFD), -1);
    EXPECT_INT(dup2(saved, 0), 0);
    close(saved);
}

int main(void)
{
    RUN(a_scope_releases_what_it_owns);
    RUN(take_hands_a_pointer_out_of_its_scope);
    RUN(freep_leaves_null_and_takes_null);
    RUN(fclosep_takes_null);
    RUN(closep_closes_once_and_leaves_no_descriptor);
    RUN(descriptor_zero_is_closed_too);
    return test_result();
}
