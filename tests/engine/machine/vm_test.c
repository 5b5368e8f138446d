/* Which machine is this: the same after a reboot, for each user, in a container; another one for
 * a neighbour of its type. */
#include "engine/machine/vm.h"

#include "tests/engine/tree.h"

#include <stdbool.h>

#define VENDOR "/sys/class/dmi/id/sys_vendor"
#define TAG "/sys/class/dmi/id/board_asset_tag"
#define UUID "/sys/class/dmi/id/product_uuid"
#define BOOT "/proc/sys/kernel/random/boot_id"
#define MACHINE_ID "/etc/machine-id"

static void expect_vm(const struct tree *tree, const char *wanted)
{
    char vm[VM_SIZE] = "before";

    vm_read(tree->root, vm);
    EXPECT_STR(vm, wanted);
}

static void expect_kind(const char *vm, enum vm_kind kind)
{
    EXPECT_INT(vm_kind_of(vm), kind);
}

/* Only root reads the one, the other is new after each boot, and an image's clones share the
 * third. */
TEST_WITH_TREE(what_not_everybody_reads_or_a_reboot_changes_does_not_count)
{
    expect_vm(tree, "");
    tree_put(tree, UUID, "ec2f0d9a-1234\n");
    tree_put(tree, BOOT, "boot 1\n");
    tree_put(tree, MACHINE_ID, "0123456789abcdef\n");
    expect_vm(tree, "");
}

TEST(a_disk_names_the_machine_across_reboots)
{
    static const char *const files[] = {"serial", "device/serial", "wwid", "device/wwid"};

    for (size_t i = 0; i < COUNT(files); i++) {
        AUTO(tree_remove) struct tree tree = tree_make();
        char path[100], vm[VM_SIZE], again[VM_SIZE], other[VM_SIZE];

        snprintf(path, sizeof path, "/sys/block/vda/%s", files[i]);
        tree_put(&tree, BOOT, "boot 1\n");
        tree_put(&tree, path, "  \n");
        expect_vm(&tree, "");
        tree_put(&tree, path, "vol0123\n");
        vm_read(tree.root, vm);
        expect_kind(vm, VM_SERIAL);
        tree_put(&tree, BOOT, "boot 2\n");
        tree_put(&tree, UUID, "as root\n");
        vm_read(tree.root, again);
        EXPECT_STR(again, vm);
        tree_put(&tree, path, "vol0124\n");
        vm_read(tree.root, other);
        expect_kind(other, VM_SERIAL);
        EXPECT(strcmp(other, vm) != 0);
        EXPECT(strstr(vm, "vol") == NULL); /* the name itself is not published */
    }
}

/* Two disks may be found in another order; loops, memory and sticks come and go. */
TEST(other_disks_do_not_change_it)
{
    static const char *const passing[] = {"loop0", "zram0", "ram1", "dm-0",
                                          "md127", "sr0",   "nbd0"};
    AUTO(tree_remove) struct tree one = tree_make(), two = tree_make();
    char first[VM_SIZE], second[VM_SIZE];

    tree_put(&one, "/sys/block/nvme0n1/device/serial", "vol0a\n");
    tree_put(&one, "/sys/block/nvme1n1/device/serial", "vol0b\n");
    tree_put(&two, "/sys/block/nvme1n1/device/serial", "vol0a\n");
    tree_put(&two, "/sys/block/nvme0n1/device/serial", "vol0b\n");
    for (size_t i = 0; i < COUNT(passing); i++) {
        char path[100];

        snprintf(path, sizeof path, "/sys/block/%s/serial", passing[i]);
        tree_put(&two, path, "a\n");
    }
    tree_put(&two, "/sys/block/sdb/serial", "a\n");
    tree_put(&two, "/sys/block/sdb/removable", "1\n");
    tree_put(&two, "/sys/block/vda/size", "1\n"); /* has none */
    vm_read(one.root, first);
    vm_read(two.root, second);
    expect_kind(first, VM_SERIAL);
    EXPECT_STR(second, first);
}

/* In a container the metadata service is often out of reach; the firmware is not. */
TEST_WITH_TREE(the_firmware_of_aws_has_the_id_of_its_metadata_service)
{
    char vm[VM_SIZE];

    vm_from_instance("aws", "i-0abc12", vm);
    expect_kind(vm, VM_INSTANCE);
    tree_put(tree, VENDOR, "Amazon EC2\n");
    tree_put(tree, TAG, "i-0abc12\n");
    tree_put(tree, "/sys/block/nvme0n1/device/serial", "vol0a\n");
    expect_vm(tree, vm);
}

TEST_WITH_TREE(a_tag_that_is_no_instance_id_is_left_alone)
{
    static const char *const tags[] = {"i-", "i-0abg",   "i-0a b", "Not Specified",
                                       "",   "7783-7084"};

    tree_put(tree, VENDOR, "Amazon EC2\n");
    for (size_t i = 0; i < COUNT(tags); i++) {
        tree_put(tree, TAG, "%s\n", tags[i]);
        expect_vm(tree, "");
    }
    tree_put(tree, VENDOR, "Somebody\n");
    tree_put(tree, TAG, "i-0abc12\n");
    expect_vm(tree, "");
}

TEST(an_id_is_of_its_cloud)
{
    char aws[VM_SIZE], again[VM_SIZE], gcp[VM_SIZE], other[VM_SIZE], none[VM_SIZE] = "before";

    vm_from_instance("aws", "42", aws);
    vm_from_instance("aws", "42", again);
    vm_from_instance("gcp", "42", gcp);
    vm_from_instance("aws", "43", other);
    vm_from_instance("aws", "", none);
    EXPECT_STR(again, aws);
    EXPECT(strcmp(gcp, aws) != 0 && strcmp(other, aws) != 0);
    EXPECT_STR(none, "");
}

TEST(what_is_not_written_so_names_no_machine)
{
    expect_kind("", VM_UNKNOWN);
    expect_kind("0123456789abcdef", VM_UNKNOWN);
    expect_kind("i123456789abcde", VM_UNKNOWN);
    expect_kind("i0123456789abcdg", VM_UNKNOWN);
    expect_kind("x0123456789abcde", VM_UNKNOWN);
    expect_kind("i0123456789abcde", VM_INSTANCE);
    expect_kind("s0123456789abcde", VM_SERIAL);
}
