
#include "tests/test.h"

#include <fcntl.h>

static int released;

static void note_release(const int *value)
{
    released += *value;
}

TEST(a_scope_releases_what_it_owns)
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

TEST(take_hands_a_pointer_out_of_its_scope)
{
    AUTO(freep) char *text = make_text();
    char *same = text, *taken = take(&text);

    EXPECT(taken == same && text == NULL);
    EXPECT_STR(taken, "kept");
    EXPECT(take(&text) == NULL);
    free(taken);
}

TEST(freep_leaves_null_and_takes_null)
{
    char *text = strdup("gone");

    freep(&text);
    EXPECT(text == NULL);
    freep(&text);
    EXPECT(text == NULL);
}

TEST(fclosep_takes_null)
{
    AUTO(fclosep) FILE *nothing = NULL;
    AUTO(fclosep) FILE *file = fopen("/dev/null", "re");

    EXPECT(file != NULL && nothing == NULL);
}

TEST(closep_closes_once_and_leaves_no_descriptor)
{
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), number = descriptor;

    EXPECT(descriptor >= 0);
    closep(&descriptor);
    EXPECT_INT(descriptor, -1);
    EXPECT_INT(fcntl(number, F_GETFD), -1);
    closep(&descriptor);
    EXPECT_INT(descriptor, -1);
}

TEST(descriptor_zero_is_closed_too)
{
    int zero = 0, saved = dup(0);

    closep(&zero);
    EXPECT_INT(fcntl(0, F_GETFD), -1);
    EXPECT_INT(dup2(saved, 0), 0);
    close(saved);
}
