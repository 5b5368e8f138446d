#include "server/keys/import_signatures.h"

#include "db/runs/token_keys.h"
#include "server/keys/signing.h"
#include "tests/db/database.h"

static struct signing_key alice = {.pair = {.secret = {1}}}, bob = {.pair = {.secret = {2}}};

static struct import_rules proven(const struct signing_key *key)
{
    struct import_rules rules = {.many_keys = false};

    memcpy(rules.proven, key->text, sizeof rules.proven);
    return rules;
}

static struct signature of(const struct signing_key *key)
{
    struct signature signature = {.key = ""};

    if (key)
        memcpy(signature.key, key->text, sizeof signature.key);
    return signature;
}

/* The kind of the refusal, ERROR_NONE where it is allowed. */
static enum error_kind allows(struct db *db, const char *sender, const struct import_rules *rules,
                              const struct signing_key *key)
{
    const struct signature signature = of(key);
    struct error err = {0};

    EXPECT(import_signatures_allow(db, sender, rules, &signature, &err) ==
           (err.kind == ERROR_NONE));
    return err.kind;
}

struct fixture {
    struct db_pool *pool;
    struct db *db;
};

#define TEST_WITH_KEYS(name) TEST_GIVEN(name, struct fixture fixture, with_keys)

static void with_keys(void (*test)(struct fixture fixture))
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct fixture fixture = {.db = open_database(&folder)};

    signing_key_complete(&alice);
    signing_key_complete(&bob);
    fixture.pool = db_pool_open(folder.file, 1, NULL);
    test(fixture);
    db_free(fixture.db);
    db_pool_free(fixture.pool);
}

TEST_WITH_KEYS(the_first_proof_binds_a_token)
{
    const struct import_rules by_alice = proven(&alice), by_bob = proven(&bob);
    char key[SIGNATURE_KEY_SIZE];

    EXPECT(import_signatures_bind(fixture.pool, "c1", &by_alice, NULL));
    EXPECT(import_signatures_bind(fixture.pool, "c1", &by_alice, NULL));
    EXPECT_ERROR_SAYS(import_signatures_bind(fixture.pool, "c1", &by_bob, &err), ERROR_CONFLICT,
                      "pennyworth token rebind c1");
    EXPECT(token_keys_find(fixture.db, "c1", key, NULL));
    EXPECT_STR(key, alice.text);
    EXPECT(import_signatures_bind(fixture.pool, "c2", &by_alice, NULL));
}

TEST_WITH_KEYS(nothing_binds_without_a_proof_a_name_or_one_key)
{
    const struct import_rules none = {.proven = ""};
    struct import_rules many = proven(&alice);

    many.many_keys = true;
    EXPECT(import_signatures_bind(fixture.pool, "c1", &none, NULL));
    EXPECT(import_signatures_bind(fixture.pool, "c1", &many, NULL));
    many.many_keys = false;
    EXPECT(import_signatures_bind(fixture.pool, "", &many, NULL));
    EXPECT_ROWS(fixture.db, 0, "token_keys");
}

TEST_WITH_KEYS(a_bound_token_sends_what_its_key_signed)
{
    const struct import_rules rules = proven(&alice);

    EXPECT(import_signatures_bind(fixture.pool, "c1", &rules, NULL));
    EXPECT_INT(allows(fixture.db, "c1", &rules, &alice), ERROR_NONE);
    EXPECT_INT(allows(fixture.db, "c1", &rules, &bob), ERROR_CONFLICT);
    EXPECT_INT(allows(fixture.db, "c1", &rules, NULL), ERROR_FORBIDDEN);
}

TEST_WITH_KEYS(a_token_that_is_not_bound_sends_nothing_of_one_that_is)
{
    const struct import_rules rules = proven(&alice), none = {.proven = ""};

    EXPECT_INT(allows(fixture.db, "c2", &none, &alice), ERROR_NONE);
    EXPECT(import_signatures_bind(fixture.pool, "c1", &rules, NULL));
    EXPECT_INT(allows(fixture.db, "c2", &none, &alice), ERROR_CONFLICT);
    EXPECT_INT(allows(fixture.db, "c2", &none, &bob), ERROR_NONE);
    EXPECT_INT(allows(fixture.db, "c2", &none, NULL), ERROR_NONE);
}

TEST_WITH_KEYS(a_relay_and_the_operator_send_what_anybody_signed)
{
    const struct import_rules rules = proven(&alice), none = {.proven = ""},
                              many = {.many_keys = true};

    EXPECT(import_signatures_bind(fixture.pool, "c1", &rules, NULL));
    for (int i = 0; i < 3; i++) {
        const struct signing_key *key = i == 0 ? &alice : i == 1 ? &bob : NULL;

        EXPECT_INT(allows(fixture.db, "relay", &many, key), ERROR_NONE);
        EXPECT_INT(allows(fixture.db, "", &none, key), ERROR_NONE);
    }
}

TEST(a_signature_is_verified_and_may_be_demanded)
{
    static const char text[] = "{\"pennyworth_run\":1";
    struct document document = {.signed_text = {text, sizeof text - 1}};
    const struct import_rules strict = {.must_be_signed = true}, lax = {.must_be_signed = false};

    EXPECT(import_signatures_verify(&document, &lax, NULL));
    EXPECT_ERROR(import_signatures_verify(&document, &strict, &err), ERROR_FORBIDDEN);
    signing_key_complete(&alice);
    signing_sign(&alice, text, sizeof text - 1, &document.signature);
    EXPECT(import_signatures_verify(&document, &strict, NULL));
    document.signed_text.length--;
    EXPECT_ERROR(import_signatures_verify(&document, &lax, &err), ERROR_UNPROVEN);
}

TEST_WITH_KEYS(a_token_is_forgotten_once)
{
    char key[SIGNATURE_KEY_SIZE];

    EXPECT(token_keys_bind(fixture.db, "c1", alice.text, key, NULL));
    EXPECT_STR(key, alice.text);
    EXPECT(token_keys_bind(fixture.db, "c1", bob.text, key, NULL));
    EXPECT_STR(key, alice.text);
    EXPECT(token_keys_forget(fixture.db, "c1", key, NULL));
    EXPECT_STR(key, alice.text);
    EXPECT(token_keys_forget(fixture.db, "c1", key, NULL));
    EXPECT_STR(key, "");
    EXPECT(token_keys_bind(fixture.db, "c1", bob.text, key, NULL));
    EXPECT_STR(key, bob.text);
}
