/* Tells one virtual machine from another of its type: a letter for what names it, and fifteen
 * digits of a hash of that name. Runs of one machine must get one name, so a
 * name counts only if it survives a reboot, and if every user reads the same one, also in a
 * container:
 *
 *   "i..."  the cloud's instance id, from its metadata service, or from the firmware where that
 *           shows it to every user (AWS)
 *   "s..."  the serial number of a disk
 *   ""      unknown
 *
 * The firmware's UUID is none of them, because only root reads it, nor is the boot id, which is
 * another one after each reboot. */
#pragma once

#include <stdbool.h>

#define VM_SIZE 17

/* For people who write such a name. */
#define VM_FORM                                                                                  \
    "i (by the cloud's instance id) or s (by the serial number of a disk) and fifteen digits "   \
    "of "                                                                                        \
    "0-9 and a-f"

enum vm_kind {
    VM_UNKNOWN,
    VM_SERIAL,
    VM_INSTANCE,
};

/* The kind of a stored machine name; any other form is unknown. */
enum vm_kind vm_kind_of(const char *vm);

/* The name from the machine itself. `root` as in proc.h. */
void vm_read(const char *root, char ret_vm[VM_SIZE]);

/* From a cloud's instance id; "" for an id of "". */
void vm_from_instance(const char *cloud, const char *id, char ret_vm[VM_SIZE]);
