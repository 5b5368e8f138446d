#include "server/keys/ed25519.h"

#include "common/cleanup.h"
#include "tests/threads.h"

/* RFC 8032, 7.1: tests 1 to 3, and "SHA(abc)". */
static const struct {
    const char *secret, *public, *text, *signature;
} vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
     "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
     "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"},
};

static size_t read_digits(const char *text, uint8_t *bytes)
{
    size_t count = strlen(text) / 2;

    for (size_t i = 0; i < count; i++) {
        unsigned byte;

        EXPECT_INT(sscanf(text + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
    return count;
}

TEST(the_vectors_of_the_standard_hold)
{
    for (size_t i = 0; i < COUNT(vectors); i++) {
        uint8_t public[ED25519_SIZE], text[64], wanted[ED25519_SIGNATURE_SIZE], got[64];
        struct ed25519_pair pair;

        EXPECT_INT((long long)read_digits(vectors[i].secret, pair.secret), ED25519_SIZE);
        read_digits(vectors[i].public, public);
        read_digits(vectors[i].signature, wanted);
        size_t length = read_digits(vectors[i].text, text);
        ed25519_public(pair.secret, pair.public);
        EXPECT(memcmp(pair.public, public, sizeof public) == 0);
        ed25519_sign(&pair, (const char *)text, length, got);
        EXPECT(memcmp(got, wanted, sizeof wanted) == 0);
        EXPECT(ed25519_verify(public, (const char *)text, length, wanted));
    }
}

TEST(every_other_bit_is_refused)
{
    static const char text[] = "a document";
    struct ed25519_pair pair = {.secret = {1, 2, 3}};
    uint8_t signature[ED25519_SIGNATURE_SIZE];

    ed25519_public(pair.secret, pair.public);
    ed25519_sign(&pair, text, strlen(text), signature);
    for (size_t bit = 0; bit < 8 * sizeof signature; bit++) {
        uint8_t altered[ED25519_SIGNATURE_SIZE];

        memcpy(altered, signature, sizeof altered);
        altered[bit / 8] = (uint8_t)(altered[bit / 8] ^ 1 << bit % 8);
        EXPECT(!ed25519_verify(pair.public, text, strlen(text), altered));
    }
    for (size_t bit = 0; bit < 8 * sizeof pair.public; bit++) {
        uint8_t other[ED25519_SIZE];

        memcpy(other, pair.public, sizeof other);
        other[bit / 8] = (uint8_t)(other[bit / 8] ^ 1 << bit % 8);
        EXPECT(!ed25519_verify(other, text, strlen(text), signature));
    }
    EXPECT(!ed25519_verify(pair.public, text, strlen(text) - 1, signature));
}

static void *work(void *user)
{
    struct ed25519_pair pair = {.secret = {*(const uint8_t *)user}};
    uint8_t signature[ED25519_SIGNATURE_SIZE];
    char text[100] = "";

    ed25519_public(pair.secret, pair.public);
    for (int i = 0; i < 50; i++) {
        text[i] = (char)i;
        ed25519_sign(&pair, text, sizeof text, signature);
        EXPECT(ed25519_verify(pair.public, text, sizeof text, signature));
    }
    return NULL;
}

TEST(threads_may_sign_side_by_side)
{
    static uint8_t seeds[] = {1, 2, 3, 4};

    run_threads(COUNT(seeds), work, seeds, sizeof seeds[0]);
}
