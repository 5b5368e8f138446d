#include "server/keys/signing.h"

#include "tests/test.h"

#define TEXT "{\"pennyworth_run\":1"

static struct signing_key key_of(uint8_t seed)
{
    struct signing_key key = {.pair = {.secret = {seed}}};

    signing_key_complete(&key);
    EXPECT(signature_is_digits(key.text, strlen(key.text), SIGNATURE_KEY_SIZE - 1));
    return key;
}

TEST(a_signature_is_of_one_key_and_one_text)
{
    const struct signing_key key = key_of(1), other = key_of(2);
    struct signature signature, altered;

    signing_sign(&key, TEXT, strlen(TEXT), &signature);
    EXPECT_STR(signature.key, key.text);
    EXPECT(signing_verify(&signature, TEXT, strlen(TEXT), NULL));
    EXPECT_FAILS(signing_verify(&signature, TEXT, strlen(TEXT) - 1, &err), (kind, ERROR_UNPROVEN),
                 (field, "signature.value"));
    altered = signature;
    memcpy(altered.key, other.text, sizeof altered.key);
    EXPECT(!signing_verify(&altered, TEXT, strlen(TEXT), NULL));
    altered = signature;
    altered.value[127] = altered.value[127] == '0' ? '1' : '0';
    EXPECT(!signing_verify(&altered, TEXT, strlen(TEXT), NULL));
}

TEST(what_is_no_signature_is_refused)
{
    const struct signing_key key = key_of(1);
    struct signature none = {.key = ""}, half = none, upper;

    EXPECT(!signing_verify(&none, TEXT, strlen(TEXT), NULL));
    memcpy(half.key, key.text, sizeof half.key);
    EXPECT(!signing_verify(&half, TEXT, strlen(TEXT), NULL));
    signing_sign(&key, TEXT, strlen(TEXT), &upper);
    upper.value[0] = 'G';
    EXPECT(!signing_verify(&upper, TEXT, strlen(TEXT), NULL));
}

TEST(a_proof_is_of_one_token)
{
    const struct signing_key key = key_of(1);
    char proof[PROOF_SIZE], proven[SIGNATURE_KEY_SIZE] = "";

    signing_prove(&key, "a-token-of-a-candidate", proof);
    EXPECT_INT((long long)strlen(proof), PROOF_SIZE - 1);
    EXPECT(!strstr(proof, "a-token"));
    EXPECT(signing_check_proof(proof, "a-token-of-a-candidate", proven, NULL));
    EXPECT_STR(proven, key.text);
    EXPECT_FAILS(signing_check_proof(proof, "a-token-of-another-one", proven, &err),
                 (kind, ERROR_UNPROVEN), (field, PROOF_HEADER));
}

TEST(a_proof_has_one_form)
{
    const struct signing_key key = key_of(1);
    char proof[PROOF_SIZE + 1], proven[SIGNATURE_KEY_SIZE] = "untouched";

    for (size_t length = 0; length < PROOF_SIZE - 1; length++) {
        signing_prove(&key, "token", proof);
        proof[length] = '\0';
        EXPECT(!signing_check_proof(proof, "token", proven, NULL));
    }
    signing_prove(&key, "token", proof);
    proof[SIGNATURE_KEY_SIZE - 1] = ',';
    EXPECT(!signing_check_proof(proof, "token", proven, NULL));
    proof[SIGNATURE_KEY_SIZE - 1] = ' ';
    memcpy(proof + PROOF_SIZE - 1, "0", 2);
    EXPECT(!signing_check_proof(proof, "token", proven, NULL));
    EXPECT_STR(proven, "untouched");
}

/* A hub that wants the proof of a document's text could pass it on as its signature. */
TEST(a_proof_is_no_signature_of_a_document)
{
    const struct signing_key key = key_of(1);
    struct signature signature = {.key = ""};
    char proof[PROOF_SIZE];

    signing_prove(&key, TEXT, proof);
    memcpy(signature.key, proof, SIGNATURE_KEY_SIZE - 1);
    memcpy(signature.value, proof + SIGNATURE_KEY_SIZE, SIGNATURE_VALUE_SIZE);
    EXPECT(!signing_verify(&signature, TEXT, strlen(TEXT), NULL));
}
