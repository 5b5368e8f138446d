/* What the thread sanitizer shall not judge: libraries that are not built with it. It is compiled
 * in, since our worker may read no file of ours (engine/process/confine_files.h). */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:libmicrohttpd.so\n"
           "called_from_lib:libdnnl.so\n"
           "called_from_lib:libgnutls.so\n"
           "called_from_lib:libsqlite3.so\n"
           /* SQLite's last call before it returns to these files looks as if they had made it. */
           "mutex:fault_vfs.c\n"
           "mutex:verify.c\n";
}
