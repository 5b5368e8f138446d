#include "common/hash.h"

#include "tests/test.h"

/* Numbers of others, for they are stored: a machine's fingerprint is such a number. */
TEST(texts_have_the_numbers_of_fnv_1a)
{
    EXPECT(hash_text(HASH_START, "") == 0xcbf29ce484222325u);
    EXPECT(hash_text(HASH_START, "a") == 0xaf63dc4c8601ec8cu);
    EXPECT(hash_text(HASH_START, "foobar") == 0x85944171f73967e8u);
    EXPECT(hash_text(hash_text(HASH_START, "foo"), "bar") == 0x85944171f73967e8u);
}

TEST(parts_are_told_apart)
{
    EXPECT(hash_part(hash_part(HASH_START, "ab"), "c") !=
           hash_part(hash_part(HASH_START, "a"), "bc"));
    EXPECT(hash_part(HASH_START, "") != HASH_START);
}
