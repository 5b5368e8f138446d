#include "engine/machine/vm.h"

#include "common/hash.h"
#include "common/hex.h"
#include "common/text.h"
#include "engine/machine/proc.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

#define NAME_MAX_HERE 128
#define DIGITS 15

enum vm_kind vm_kind_of(const char *vm)
{
    if (strlen(vm) != VM_SIZE - 1 || strspn(vm + 1, HEX_DIGITS) != DIGITS)
        return VM_UNKNOWN;
    return vm[0] == 'i' ? VM_INSTANCE : vm[0] == 's' ? VM_SERIAL : VM_UNKNOWN;
}

static void write_name(char kind, const char *name, char ret_vm[VM_SIZE])
{
    snprintf(ret_vm, VM_SIZE, "%c%015" PRIx64, kind, hash_text(HASH_START, name) >> 4);
}

void vm_from_instance(const char *cloud, const char *id, char ret_vm[VM_SIZE])
{
    char name[NAME_MAX_HERE];

    ret_vm[0] = '\0';
    if (!*id)
        return;
    snprintf(name, sizeof name, "%s %s", cloud, id);
    write_name('i', name, ret_vm);
}

/* "i-" and hexadecimal digits: on AWS the firmware shows the id as the board's tag. */
static bool read_tag(const char *root, char ret_vm[VM_SIZE])
{
    char vendor[32], tag[NAME_MAX_HERE];

    if (!proc_text(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof vendor) ||
        strcmp(vendor, "Amazon EC2") != 0 ||
        !proc_text(root, "/sys/class/dmi/id/board_asset_tag", tag, sizeof tag) ||
        strncmp(tag, "i-", 2) != 0 || !tag[2] || tag[2 + strspn(tag + 2, HEX_DIGITS)] != '\0')
        return false;
    vm_from_instance("aws", tag, ret_vm);
    return true;
}

/* Virtual and removable disks come and go. */
static bool is_fixed(const char *root, const char *disk)
{
    static const char *const made_up[] = {"loop", "ram", "zram", "dm-", "md", "nbd", "sr", "fd"};
    char path[NAME_MAX_HERE + 64];

    for (size_t i = 0; i < sizeof made_up / sizeof made_up[0]; i++)
        if (strncmp(disk, made_up[i], strlen(made_up[i])) == 0)
            return false;
    snprintf(path, sizeof path, "/sys/block/%.127s/removable", disk);
    return proc_number(root, path, NULL, 0) == 0;
}

static bool read_serial(const char *root, const char *disk, char ret_serial[NAME_MAX_HERE])
{
    static const char *const files[] = {"serial", "device/serial", "wwid", "device/wwid"};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[NAME_MAX_HERE + 64];

        snprintf(path, sizeof path, "/sys/block/%.127s/%s", disk, files[i]);
        if (proc_text(root, path, ret_serial, NAME_MAX_HERE))
            return true;
    }
    return false;
}

/* The smallest serial: the order of disks may change with each boot. */
static bool read_disks(const char *root, char ret_vm[VM_SIZE])
{
    char path[PROC_PATH_MAX], least[NAME_MAX_HERE] = "", serial[NAME_MAX_HERE];
    struct dirent *entry;
    DIR *disks;

    snprintf(path, sizeof path, "%s/sys/block", root);
    disks = opendir(path);
    while (disks && (entry = readdir(disks)) != NULL)
        if (entry->d_name[0] != '.' && is_fixed(root, entry->d_name) &&
            read_serial(root, entry->d_name, serial) && (!*least || strcmp(serial, least) < 0))
            memcpy(least, serial, sizeof least);
    if (disks)
        closedir(disks);
    if (*least)
        write_name('s', least, ret_vm);
    return *least != '\0';
}

void vm_read(const char *root, char ret_vm[VM_SIZE])
{
    ret_vm[0] = '\0';
    if (!read_tag(root, ret_vm))
        (void)read_disks(root, ret_vm);
}
