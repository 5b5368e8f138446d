/* Tells one virtual machine from another of its type: a hash of what its hypervisor calls it, or,
 * where that cannot be read, of this boot. */
#pragma once

#define VM_SIZE 17

/* `root` as in proc.h; "" when nothing tells. */
void vm_read(const char *root, char ret_vm[VM_SIZE]);
