#include "engine/protocol/dialogue.h"

#include "common/limits.h"

#include <limits.h>

static bool accept_step(struct dialogue *dialogue, const struct event *event, struct error *err)
{
    if (event->step.index != dialogue->steps)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker sent step %lld instead of %lld",
                         event->step.index, dialogue->steps);
    if (dialogue->steps >= dialogue->steps_max)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the worker sent more than the %lld steps it was asked for",
                         dialogue->steps_max);
    if (event->step.nanoseconds < 1)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker says step %lld took %lld ns",
                         event->step.index, event->step.nanoseconds);
    if (event->step.nanoseconds > LLONG_MAX - dialogue->nanoseconds)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the worker says its steps took more than %lld ns", LLONG_MAX);
    dialogue->nanoseconds += event->step.nanoseconds;
    dialogue->steps++;
    return true;
}

bool dialogue_accept(struct dialogue *dialogue, const struct event *event, struct error *err)
{
    if (dialogue->done)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker went on after 'done'");
    if (event->type == EVENT_HELLO) {
        if (dialogue->greeted)
            return error_set(err, ERROR_UPSTREAM, NULL, "the worker said 'hello' twice");
        if (event->hello.protocol != PROTOCOL_VERSION)
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "the worker speaks protocol %lld, this server %d",
                             event->hello.protocol, PROTOCOL_VERSION);
        dialogue->greeted = true;
        return true;
    }
    if (!dialogue->greeted)
        return error_set(err, ERROR_UPSTREAM, NULL, "the worker did not begin with 'hello'");
    if (event->type == EVENT_FAILED)
        return error_set(err, ERROR_UPSTREAM, NULL, "%s", event->failed.message);
    if (event->type == EVENT_STEP)
        return accept_step(dialogue, event, err);
    if (event->type == EVENT_CANARY)
        return ++dialogue->canaries <= CANARIES_MAX ||
               error_set(err, ERROR_UPSTREAM, NULL, "the worker sent more than %d canaries",
                         CANARIES_MAX);

    if (event->done.steps != dialogue->steps)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "the worker counted %lld steps, but sent %lld", event->done.steps,
                         dialogue->steps);
    dialogue->done = true;
    return true;
}
