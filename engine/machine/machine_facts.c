#include "engine/machine/machine_facts.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <jansson.h>
#include <stddef.h>

#define FACT_TEXT(member)                                                                        \
    .name = #member, .offset = offsetof(struct machine_facts, member),                           \
    .size = sizeof((struct machine_facts *)NULL)->member
static const struct {
    const char *name;
    size_t offset, size;
} texts[] = {{FACT_TEXT(cpu_model)},
             {FACT_TEXT(isa)},
             {FACT_TEXT(architecture)},
             {FACT_TEXT(kernel)},
             {FACT_TEXT(microcode)}};

#define NUMBER(member) .name = #member, .offset = offsetof(struct machine_facts, member)
static const struct {
    const char *name;
    size_t offset;
} numbers[] = {{NUMBER(processors)}, {NUMBER(cores)}, {NUMBER(numa_nodes)}, {NUMBER(memory_gib)}};

void machine_facts_read(const char *text, struct machine_facts *ret_facts)
{
    AUTO(json_decrefp) json_t *json = text ? json_loads(text, 0, NULL) : NULL;
    char *base = (char *)ret_facts;

    *ret_facts = (struct machine_facts){0};
    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *word = json_string_value(json_object_get(json, texts[i].name));

        text_copy(base + texts[i].offset, texts[i].size, word ? word : "");
    }
    for (size_t i = 0; i < COUNT(numbers); i++)
        *(double *)(void *)(base + numbers[i].offset) =
            json_number_value(json_object_get(json, numbers[i].name));
}
