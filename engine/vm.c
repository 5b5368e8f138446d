#include "engine/vm.h"

#include "engine/proc.h"
#include "engine/stats.h"

#include <inttypes.h>

void vm_read(const char *root, char ret_vm[VM_SIZE])
{
    char name[80];

    ret_vm[0] = '\0';
    if ((proc_text(root, "/sys/class/dmi/id/product_uuid", name, sizeof name) && name[0]) ||
        (proc_text(root, "/proc/sys/kernel/random/boot_id", name, sizeof name) && name[0]))
        snprintf(ret_vm, VM_SIZE, "%016" PRIx64, stats_hash(name));
}
