/* What a filter of system calls says of a call, worked out as the kernel does: most calls that
 * one forbids are refused to an ordinary user anyway, so that making them proves nothing. */
#pragma once

#include "engine/process/confine.h"
#include "tests/test.h"

#include <linux/seccomp.h>

#define FILTER_BROKEN 0xdeadbeefu /* the kernel would not take it */

static inline unsigned filter_verdict(const struct confinement *confinement,
                                      const struct seccomp_data *call)
{
    unsigned loaded = 0;

    for (unsigned at = 0; at < confinement->length; at++) {
        const struct sock_filter *line = &confinement->program[at];
        bool holds;

        switch (line->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (line->k % 4 != 0 || line->k > sizeof *call - 4)
                return FILTER_BROKEN;
            memcpy(&loaded, (const char *)call + line->k, sizeof loaded);
            continue;
        case BPF_RET | BPF_K:
            return line->k;
        case BPF_JMP | BPF_JEQ | BPF_K:
            holds = loaded == line->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            holds = loaded >= line->k;
            break;
        case BPF_JMP | BPF_JSET | BPF_K:
            holds = (loaded & line->k) != 0;
            break;
        default:
            return FILTER_BROKEN;
        }
        at += holds ? line->jt : line->jf;
    }
    return FILTER_BROKEN; /* ran off its end */
}
