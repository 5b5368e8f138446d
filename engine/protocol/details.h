/* What an engine reports about itself in addition to its name: its library, instruction set and
 * plan, without which a number of samples a second means little. */
#pragma once

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>

#define LIBRARY_MAX 63
#define ISA_MAX 31
#define PLAN_MAX 31
#define LAYOUT_MAX 31
#define UNIT_MAX 31

/* Yes, no or unknown. */
enum answer { ANSWER_NONE, ANSWER_NO, ANSWER_YES };

/* A plain value: copy it freely. 0, "" and ANSWER_NONE mean: unknown. */
struct engine_details {
    char library[LIBRARY_MAX + 1]; /* "oneDNN 2.6.3" */
    char isa[ISA_MAX + 1];         /* instruction set really used: "avx512_bf16" */
    char plan[PLAN_MAX + 1];       /* "known", "measured", "cached", "fixed", "plain" */
    char layout[LAYOUT_MAX + 1];   /* of images: the layout used for "auto"; "nhwc" */
    long long threads;
    long long parameters;
    long long multiply_adds;          /* of one sample, forward */
    long long backward_multiply_adds; /* of one sample: gradients of weights and of data */
    long long memory_bytes;           /* memory that the plan needs */
    long long step_bytes;             /* least memory traffic of a step */
    /* Peaks: measured on this machine by this engine, all its threads together. */
    char peak_unit[UNIT_MAX + 1]; /* instruction that multiplies: "VDPBF16PS" */
    long long peak_multiply_adds_per_second;
    long long peak_read_bytes_per_second; /* of memory */
    enum answer emulated;                 /* is the precision emulated on this processor? */
    enum answer huge_pages;               /* does the memory use huge pages? */
};

static inline enum answer answer_of(bool truth)
{
    return truth ? ANSWER_YES : ANSWER_NO;
}

/* Reads the present members and skips unknown ones. ERROR_INVALID names the member; *ret_details
 * is written only on success. */
MUST_USE bool engine_details_from_json(const json_t *json, struct engine_details *ret_details,
                                       struct error *err);

/* Reads the text of engine_details_to_text(), null as unknown; NULL: all unknown. */
MUST_USE bool engine_details_from_text(const char *text, struct engine_details *ret_details,
                                       struct error *err);

/* Adds the known members to an object. */
void engine_details_into_json(const struct engine_details *details, json_t *object);

bool engine_details_are_known(const struct engine_details *details);

/* An object with every member, null if unknown, in one line. The caller frees it. */
char *engine_details_to_text(const struct engine_details *details);

/* JSON Schema of that object. A new reference. */
json_t *engine_details_schema(void);
