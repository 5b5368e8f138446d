#include "engine/vm.h"

#include "tests/engine/tree.h"

#include <stdbool.h>

#define UUID "/sys/class/dmi/id/product_uuid"
#define BOOT "/proc/sys/kernel/random/boot_id"

static bool is_a_hash(const char *vm)
{
    return strlen(vm) == VM_SIZE - 1 && strspn(vm, "0123456789abcdef") == VM_SIZE - 1;
}

static void what_the_hypervisor_calls_it_tells_machines_apart(void)
{
    AUTO(tree_remove) struct tree tree = tree_make();
    char one[VM_SIZE], again[VM_SIZE], other[VM_SIZE];

    tree_put(&tree, UUID, "ec2f0d9a-1234\n");
    tree_put(&tree, BOOT, "boot 1\n");
    vm_read(tree.root, one);
    tree_put(&tree, BOOT, "boot 2\n"); /* the same machine, started again */
    vm_read(tree.root, again);
    tree_put(&tree, UUID, "ec2f0d9b-1234\n");
    vm_read(tree.root, other);
    EXPECT(is_a_hash(one) && is_a_hash(other));
    EXPECT_STR(again, one);
    EXPECT(strcmp(other, one) != 0);
    EXPECT(strstr(one, "ec2f") == NULL); /* the name itself is nobody's business */
}

static void where_that_cannot_be_read_the_boot_does(void)
{
    AUTO(tree_remove) struct tree tree = tree_make();
    char one[VM_SIZE], other[VM_SIZE], empty[VM_SIZE];

    tree_put(&tree, BOOT, "boot 1\n");
    vm_read(tree.root, one);
    tree_put(&tree, UUID, "%s", "\n");
    vm_read(tree.root, empty);
    tree_put(&tree, BOOT, "boot 2\n");
    vm_read(tree.root, other);
    EXPECT(is_a_hash(one) && is_a_hash(other));
    EXPECT_STR(empty, one);
    EXPECT(strcmp(other, one) != 0);
}

static void where_nothing_tells_it_is_not_known(void)
{
    AUTO(tree_remove) struct tree tree = tree_make();
    char vm[VM_SIZE] = "before";

    vm_read(tree.root, vm);
    EXPECT_STR(vm, "");
}

int main(void)
{
    RUN(what_the_hypervisor_calls_it_tells_machines_apart);
    RUN(where_that_cannot_be_read_the_boot_does);
    RUN(where_nothing_tells_it_is_not_known);
    return test_result();
}
