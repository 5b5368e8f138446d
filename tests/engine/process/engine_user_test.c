/* The user that engines run as. Without root only the refusals can be seen. */
#include "engine/process/engine_user.h"

#include "tests/engine/process/children.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define USER "nobody" /* each system has it */
#define HOME "/home/of-this-test"

static bool is_root(void)
{
    return geteuid() == 0;
}

TEST(an_unknown_user_and_root_are_refused)
{
    struct engine_user user = {.is_another = false};

    EXPECT_ERROR_MESSAGE(engine_user_find("there-is-no-such-user", &user, &err), ERROR_INVALID,
                         "'there-is-no-such-user' is not a user of this machine");
    EXPECT_ERROR_MESSAGE(engine_user_find("root", &user, &err), ERROR_INVALID, "'root' is root");
    EXPECT(!user.is_another);
}

TEST(a_user_has_a_number_a_group_and_a_home)
{
    struct engine_user user;

    EXPECT(engine_user_find(USER, &user, NULL));
    EXPECT(user.is_another && user.user != 0 && user.group != 0);
    EXPECT_INT(user.home[0], '/');
}

TEST_WHERE(is_root, a_program_behind_a_closed_folder_cannot_be_run)
{
    char folder[] = "/tmp/pennyworth-XXXXXX", program[64];
    struct engine_user user;

    EXPECT(engine_user_find(USER, &user, NULL));
    EXPECT(engine_user_can_run(&user, "/bin/sh"));
    EXPECT(!engine_user_can_run(&user, "/etc/passwd"));
    EXPECT(mkdtemp(folder) != NULL); /* for its owner alone */
    snprintf(program, sizeof program, "%s/program", folder);
    EXPECT_INT(symlink("/bin/sh", program), 0);
    EXPECT(!engine_user_can_run(&user, program));
    EXPECT_INT(unlink(program), 0);
    EXPECT_INT(rmdir(folder), 0);
}

/* What a shell prints that is started as an engine of that user. */
static void print(const struct engine_user *user, enum confine_how how, char *script,
                  char *ret_text, size_t size)
{
    static char shell[] = "sh", dash_c[] = "-c";

    print_as_engine((char *const[]){shell, dash_c, script, NULL}, how, user, ret_text, size);
}

TEST_WHERE(is_root, an_engine_has_the_user_alone_and_a_home_of_its_own)
{
    static char script[] = "while read -r name rest; do case $name in Uid:|Gid:|Groups:)"
                           " echo $name $rest;; esac; done </proc/self/status;"
                           " echo \"$HOME $XDG_CACHE_HOME\"";
    struct engine_user user;
    char text[400], wanted[400];

    EXPECT(engine_user_find(USER, &user, NULL));
    EXPECT_INT(setenv("XDG_CACHE_HOME", "cache-of-the-server", 1), 0);
    snprintf(user.home, sizeof user.home, HOME);
    snprintf(wanted, sizeof wanted, "Uid: %u %u %u %u\nGid: %u %u %u %u\nGroups:\n" HOME " \n",
             user.user, user.user, user.user, user.user, user.group, user.group, user.group,
             user.group);
    print(&user, CONFINE_OTHERS, script, text, sizeof text);
    EXPECT_STR(text, wanted);
    print(&user, CONFINE_OURS, script, text, sizeof text);
    EXPECT_STR(text, wanted);
}

/* The signal that ends an engine with the server is set after the user, which would clear it. */
TEST_WHERE(is_root, an_engine_of_another_user_ends_with_its_server)
{
    static char script[] = "echo $$; exec sleep 60", shell[] = "sh", dash_c[] = "-c";
    struct engine_user user;
    struct child child;
    char text[40] = "", status[80];
    int pipes[2];

    EXPECT(engine_user_find(USER, &user, NULL));
    EXPECT_INT(pipe(pipes), 0);
    pid_t server = fork();
    if (server == 0) {
        const struct launch launch = {(char *const[]){shell, dash_c, script, NULL}, "RUN", "",
                                      false, &user};

        if (!spawn_child(&child, &launch, NULL) || fcntl(child.output, F_SETFL, 0) != 0)
            _exit(1);
        (void)!write(pipes[1], text, (size_t)read(child.output, text, sizeof text));
        _exit(0);
    }
    EXPECT_INT(waitpid(server, NULL, 0), server);
    EXPECT(read(pipes[0], text, sizeof text - 1) > 0);
    snprintf(status, sizeof status, "/proc/%.*s/exe", (int)strcspn(text, "\n"), text);
    for (int waited = 0; waited < 10000 && readlink(status, text, 1) == 1; waited++)
        usleep(1000);
    EXPECT(readlink(status, text, 1) != 1);
    closep(&pipes[0]);
    closep(&pipes[1]);
}
