#include "common/sha256.h"

#include "tests/test.h"

static void to_text(const uint8_t digest[SHA256_SIZE], char text[2 * SHA256_SIZE + 1])
{
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static void expect_digest(const void *data, size_t length, const char *wanted)
{
    uint8_t digest[SHA256_SIZE];
    char text[2 * SHA256_SIZE + 1];

    sha256(data, length, digest);
    to_text(digest, text);
    EXPECT_STR(text, wanted);
}

TEST(the_examples_of_the_standard_come_out)
{
    static const struct {
        const char *text, *digest;
    } examples[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
         "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };

    for (size_t i = 0; i < COUNT(examples); i++)
        expect_digest(examples[i].text, strlen(examples[i].text), examples[i].digest);
}

TEST(a_million_letters_come_out)
{
    size_t length = 1000000;
    AUTO(freep) char *letters = malloc(length);

    REQUIRE(letters);
    memset(letters, 'a', length);
    expect_digest(letters, length,
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* What ends near the end of a block has its length in it, or in the next one. */
TEST(every_length_around_a_block_comes_out)
{
    static const struct {
        size_t length;
        const char *digest;
    } examples[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    char letters[120];

    memset(letters, 'a', sizeof letters);
    for (size_t i = 0; i < COUNT(examples); i++)
        expect_digest(letters, examples[i].length, examples[i].digest);
}

TEST(pieces_come_out_as_the_whole_does)
{
    static const size_t sizes[] = {1, 7, 63, 64, 65, 200};
    char data[500], whole[2 * SHA256_SIZE + 1], text[sizeof whole];
    uint8_t digest[SHA256_SIZE];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    sha256(data, sizeof data, digest);
    to_text(digest, whole);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct sha256 sum;

        sha256_begin(&sum);
        for (size_t at = 0; at < sizeof data; at += sizes[i])
            sha256_add(&sum, data + at,
                       sizes[i] < sizeof data - at ? sizes[i] : sizeof data - at);
        sha256_end(&sum, digest);
        to_text(digest, text);
        EXPECT_STR(text, whole);
    }
}
