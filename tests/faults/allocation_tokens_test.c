/* Every allocation of reading tokens, of checking access and of writing the audit log fails, each
 * in its turn: that admits no client and locks no client out for good, and nothing leaks. */
#include "tests/faults/shortages.h"

#include "common/cleanup.h"
#include "server/http/audit.h"
#include "server/http/tokens/token_store.h"

/* The hash of "abc". */
#define OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define LINE(digit)                                                                              \
    "t" digit                                                                                    \
    " read sha256:00000000000000000000000000000000000000000000000000000000000000" digit "f\n"

static char file[] = "/tmp/pennyworth-tokens-XXXXXX";
static struct config config;

static bool read_tokens(struct error *err)
{
    AUTO(tokens_clear) struct tokens tokens = {0};

    ration_start();
    bool ok = tokens_add_option(&tokens, READ_TOKEN_NAME, SCOPE_READ, "xyz", err) &&
              tokens_read(file, &tokens, err);
    ration_stop();
    EXPECT(!ok || (tokens.count == 5 && tokens_find(&tokens, "abc") == &tokens.list[4]));
    return ok;
}

static const char all_lines[] = LINE("1") LINE("2") LINE("3") "c1 import sha256:" OF_ABC "\n";

static bool fill_file(void)
{
    AUTO(fclosep) FILE *out = fopen(file, "we");

    return out && fputs(all_lines, out) >= 0;
}

/* All lines are there, or all but that of the name; and nothing lies beside the file. */
static bool remove_token(struct error *err)
{
    AUTO(tokens_clear) struct tokens tokens = {0};
    char beside[sizeof file + 8];
    struct error later = {0};
    bool found = false;

    EXPECT(fill_file());
    ration_start();
    bool ok = tokens_remove(file, "t2", &found, err);
    ration_stop();
    EXPECT(tokens_read(file, &tokens, NULL));
    EXPECT_INT((long long)tokens.count, ok ? 3 : 4);
    EXPECT(tokens_find(&tokens, "abc"));
    snprintf(beside, sizeof beside, "%s.new", file);
    EXPECT(access(beside, F_OK) != 0);
    EXPECT(!ok || found);
    EXPECT(tokens_remove(file, "t2", &found, &later));
    EXPECT_STR(later.message, "");
    EXPECT(found == !ok);
    EXPECT(fill_file());
    return ok;
}

static bool token_store(struct error *err)
{
    struct grant grant;

    ration_start();
    struct token_store *made = token_store_new(&config, err);
    bool ok = made && token_store_reload(made, err);
    ration_stop();
    if (made) {
        EXPECT(token_store_find(made, "abc", &grant) && grant.scopes == SCOPE_IMPORT);
        EXPECT(!token_store_find(made, "abd", &grant));
        EXPECT(token_store_reload(made, NULL));
        EXPECT_INT((long long)token_store_count(made), 4);
    }
    token_store_free(made);
    return ok;
}

static bool tell_audit(struct error *err)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1000};

    ration_start();
    struct audit *audit = audit_open("/dev/null", err);
    if (audit)
        audit_write(audit, &(struct audit_entry){.method = "POST", .path = "/", .status = 200});
    ration_stop();
    if (!audit)
        return false;
    EXPECT(audit_write_metrics(audit, &text));
    bool ok = strstr(text.data, "failures_total 0\n") != NULL;
    audit_free(audit);
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static void reading_tokens_survives_every_shortage(void)
{
    survive_shortages("read tokens", read_tokens, 1);
}

static void removing_a_token_survives_every_shortage(void)
{
    survive_shortages("remove token", remove_token, 1);
}

static void a_guard_survives_every_shortage(void)
{
    survive_shortages("guard", token_store, 1);
}

static void the_audit_counts_what_a_shortage_cost_it(void)
{
    survive_shortages("audit", tell_audit, 1);
}

int main(void)
{
    int descriptor = mkstemp(file);

    if (descriptor < 0 ||
        write(descriptor, all_lines, strlen(all_lines)) != (ssize_t)strlen(all_lines))
        return 1;
    close(descriptor);
    snprintf(config.tokens, sizeof config.tokens, "%s", file);
    RUN(reading_tokens_survives_every_shortage);
    RUN(removing_a_token_survives_every_shortage);
    RUN(a_guard_survives_every_shortage);
    RUN(the_audit_counts_what_a_shortage_cost_it);
    unlink(file);
    return test_result();
}
