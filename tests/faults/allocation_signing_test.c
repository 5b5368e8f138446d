/* Every allocation of what signs, verifies and keeps keys fails, each in its turn: nothing is
 * half stored, no document and no key is blamed, and the next attempt succeeds. */
#include "tests/faults/shortages.h"

#include "db/runs/exports.h"
#include "db/runs/token_keys.h"
#include "server/imports/import.h"
#include "server/keys/key_file.h"
#include "server/runs/stored_document.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

#define TOKEN "a-token-of-a-candidate"

static struct template database;
static struct signing_key key = {.pair = {.secret = {1}}};

static bool sign_and_verify(struct error *err)
{
    static const char text[] = "{\"pennyworth_run\":1";
    char proof[PROOF_SIZE], proven[SIGNATURE_KEY_SIZE];
    struct signature signature;

    ration_start();
    bool ok = signing_sign(&key, text, sizeof text - 1, &signature, err) &&
              signing_verify(&signature, text, sizeof text - 1, err) &&
              signing_prove(&key, TOKEN, proof, err) &&
              signing_check_proof(proof, TOKEN, proven, err);
    ration_stop();
    EXPECT(!ok || strcmp(proven, key.text) == 0);
    return ok;
}

static bool use_key_file(struct error *err)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct signing_key made = {.text = ""}, read = {.text = ""}, rotated = {.text = ""};

    ration_start();
    bool ok = key_file_load(folder.file, &made, err) && key_file_load(folder.file, &read, err) &&
              key_file_rotate(folder.file, &rotated, err);
    ration_stop();
    EXPECT(!ok || strcmp(made.text, read.text) == 0);
    /* Whatever failed, what is there is whole. */
    EXPECT(key_file_load(folder.file, &read, NULL));
    EXPECT(!ok || strcmp(rotated.text, read.text) == 0);
    return ok;
}

static void keys_survive_every_shortage(void)
{
    survive_every_shortage("sign and verify", sign_and_verify);
    survive_every_shortage("key file", use_key_file);
}

/* As in allocation_import_test.c, texts that are parsed have no token over 15 bytes. */
#define DOCUMENT(number, steps)                                                                  \
    "{\"pennyworth_run\":1,\"id\":\"01HF7YAT000000000000000" number                              \
    "\",\"spec\":{\"workload\":\"mlp\",\"engine\":\"e\","                                        \
    "\"labels\":{\"branch\":\"main\",\"commit\":\"f00\"}},"                                      \
    "\"ended_at\":\"2026-01-02T03:04:05Z\",\"steps\":" steps

static struct bytes lines = {.limit = 10000};

static void add_line(const char *document)
{
    struct signature signature;

    EXPECT(signing_sign(&key, document, strlen(document), &signature, NULL));
    EXPECT(bytes_add(&lines, document, strlen(document)) && signature_write(&lines, &signature) &&
           bytes_add(&lines, "}\n", 2));
}

static struct import_body body_of(void)
{
    struct import_body body = {.text = lines.data, .length = lines.used, .sender = "c1"};

    memcpy(body.rules.proven, key.text, sizeof body.rules.proven);
    return body;
}

static void import_in_plenty(struct db_pool *pool)
{
    const struct import_body body = body_of();
    struct import_report report;
    struct error err = {0};

    EXPECT(import_lines(pool, &body, &report, &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(report.imported + report.known, 2);
}

static bool import_text(struct error *err)
{
    const struct import_body body = body_of();
    struct import_report report;

    template_restore(&database);
    struct db_pool *pool = db_pool_open(database.folder.file, 1, NULL);
    ration_start();
    bool ok = import_lines(pool, &body, &report, err);
    ration_stop();
    EXPECT(!ok || (report.imported == 2 && report.refused == 0));
    import_in_plenty(pool);
    db_pool_free(pool);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM signatures"), 2);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM token_keys"), 1);
    expect_whole(db);
    return ok;
}

struct export
{
    struct db *db;
    struct bytes text;
    struct error *err;
    bool ok;
};

static bool write_line(void *user, const struct document_parts *parts)
{
    struct export *export = user;

    export->ok = run_document_write(export->db, parts, &key, &export->text, export->err);
    return export->ok;
}

static bool export_text(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct export export = {.db = db, .text = {.limit = 100000}, .err = err, .ok = true};
    const struct run_filter filter = {.limit = -1, .provenance = "imported"};
    long long last;

    ration_start();
    bool ok = exports_each(db, &filter, &(struct export_reader){write_line, &export}, &last, err);
    ration_stop();
    ok = ok && export.ok;
    EXPECT(!ok || (export.text.used == lines.used &&
                   memcmp(export.text.data, lines.data, lines.used) == 0));
    bytes_free(&export.text);
    return ok;
}

static bool forget_key(struct error *err)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    char was[SIGNATURE_KEY_SIZE], bound[SIGNATURE_KEY_SIZE];

    ration_start();
    bool ok = token_keys_bind(db, "c2", key.text, NOON_US, bound, err) &&
              token_keys_forget(db, "c2", was, err);
    ration_stop();
    expect_usable(db);
    EXPECT(!ok || strcmp(was, key.text) == 0);
    EXPECT(!ok || number_of(db, "SELECT count(*) FROM token_keys") == 0);
    expect_whole(db);
    return ok;
}

static void signed_documents_survive_every_shortage(void)
{
    struct db_pool *pool;

    add_line(
        DOCUMENT("0B1", "{\"nanoseconds\":[9,10,11,12,13,14,15,16],\"loss\":[1,2,3,4,5,6,7,8]}"));
    add_line(DOCUMENT("0B3", "{\"nanoseconds\":[ 9,10,11,12 ],\"loss\":[1,2,3,4]}"));
    database = template_make(schema_version, fill_with_runs);
    survive_shortages("import signed", import_text, 7);
    survive_every_shortage("forget a key", forget_key);
    template_restore(&database);
    pool = db_pool_open(database.folder.file, 1, NULL);
    import_in_plenty(pool);
    db_pool_free(pool);
    survive_every_shortage("export signed", export_text);
    template_free(&database);
    bytes_free(&lines);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    EXPECT(signing_key_complete(&key, NULL));
    RUN(keys_survive_every_shortage);
    RUN(signed_documents_survive_every_shortage);
    return test_result();
}
