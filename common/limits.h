/* Limits that a client can meet, and limits that several files share: the number stands here, all
 * other places use the name. A limit of a single file stays in that file.
 * tests/server/http/openapi_limits_test.c compares openapi.json with these. */
#pragma once

/* A limit as text, for messages and patterns: its number must be a plain one. */
#define LIMIT_TEXT(limit) LIMIT_TEXT_OF(limit)
#define LIMIT_TEXT_OF(number) #number

/* Requests and answers; bytes unless stated otherwise. */
#define HEADER_MAX (16 * 1024)
#define QUERY_MAX 2048                   /* of a target */
#define QUERY_PARAMETERS_MAX 48          /* parameters */
#define QUERY_WORD_MAX 200               /* of a name that is searched for */
#define IDEMPOTENCY_KEY_MAX 255          /* without its quotes */
#define BODY_MAX (64 * 1024)             /* of most requests */
#define BODY_RUNS_MAX (16 * 1024 * 1024) /* of an import, and so of one upload to a hub */
#define REPLY_MAX (64 * 1024 * 1024)     /* of an answer that is not streamed */
#define WAIT_SECONDS_MAX 3600            /* for which a client may ask the server to wait */

/* Of an integer in engine events and documents: every JSON reader holds it exactly. */
#define WHOLE_MAX 9007199254740991LL

/* Lists: the most items that one answer or request holds. */
#define RUN_LIST_MAX 200
#define SWEEP_LIST_MAX 200
#define MACHINE_LIST_MAX 200
#define INSTANCE_LIST_MAX 500
#define PRICE_LIST_MAX 1000
#define PRICE_STORE_MAX 500
#define COMPARISON_LIST_MAX 1000
#define COMPARISON_OFFSET_MAX 1000000
#define STEP_LIST_MAX 1000000000 /* and the first one that may be asked for */
#define QUESTION_LIST_MAX 8      /* regions, instances, discounts or prices in a question */
#define IMPORT_REFUSALS_MAX 50   /* that an import lists; it counts all */
#define GATE_RUNS_MAX 200        /* runs on either side of the gate */

/* Names: sizes in bytes, with the NUL. */
#define PROVIDER_SIZE 16
#define REGION_SIZE 40 /* of a zone too */
#define INSTANCE_SIZE 64
#define SOFTWARE_SIZE 160
#define TOKEN_NAME_SIZE 64 /* and so of the sender of a run */
#define REASON_MAX 500     /* of a reason for taking something back, without the NUL */

/* A run and its spec. */
#define RUN_LABELS_MAX 16
#define LABEL_KEY_MAX 64
#define LABEL_VALUE_MAX 256
#define ENGINE_NAME_MAX 32
#define WORKLOAD_NAME_MAX 63 /* as of a published figure */
#define BATCH_SIZE_MAX 65536
#define PROCESSORS_MAX 1024 /* of a machine, and so threads of a run */
#define RUN_STEPS_MAX 1000000
#define RUN_SECONDS_MAX 86400           /* of a run, and of the budget of a sweep */
#define CANARIES_MAX 20000              /* of a worker: ours sends one in ten seconds */
#define STEP_NS_MAX 1000000000000000LL  /* of a step, and of what comes before the first */
#define DOCUMENT_MAX (32 * 1024 * 1024) /* bytes of a run document that is read */
#define DOCUMENT_MEMBER_MAX 65536       /* bytes of each of its members but the trace */
#define WORKER_LINE_MAX 65536           /* bytes of a line that a worker writes */
#define IMPLEMENTATIONS_MAX 32768       /* bytes: half of such a line */
#define SWEEP_CELLS_MAX 64
#define SWEEP_BLOCKS_MAX 50
#define SWEEP_PAIRS_MAX 100
#define SWEEP_RUNS_MAX 500

/* Numbers of a comparison and of the gate. */
#define PRICE_DOLLARS_MAX 100000 /* for an hour */
#define PERCENT_MAX 50           /* of a margin, a spread, and an interval that a run aims at */
#define DAYS_MAX 3650            /* that a question may look back */
#define PAUSE_SECONDS_MAX 86400  /* of a boot, a checkpoint, a restart */
