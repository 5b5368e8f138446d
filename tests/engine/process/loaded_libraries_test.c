#include "engine/process/loaded_libraries.h"

#include "tests/engine/tree.h"

static const struct {
    const char *maps, *allocator, *openmp, *dnn;
} cases[] = {
    {"", "system", "none", ""},
    {"55-56 r--p 0 0:0 1 /usr/bin/worker\n7f-80 r-xp 0 0:0 2 /usr/lib/libgomp.so.1.0.0\n",
     "system", "gnu", ""},
    {"7f-80 r-xp 0 0:0 2 /usr/lib/libgomp.so.1\n7f-80 r-xp 0 0:0 2 /usr/lib/libomp.so.5\n"
     "7f-80 r-xp 0 0:0 2 /opt/libtcmalloc_minimal.so.4.5.9\n"
     "7f-80 r-xp 0 0:0 2 /usr/lib/x86_64-linux-gnu/libdnnl.so.3.7\n",
     "tcmalloc", "llvm", "libdnnl.so.3.7"},
    {"7f-80 r-xp 0 0:0 2 /opt/intel/libiomp5.so\n7f-80 r-xp 0 0:0 2 /usr/lib/libjemalloc.so.2\n",
     "jemalloc", "intel", ""},
    {"7f-80 r-xp 0 0:0 2 /usr/lib/libmimalloc.so.2.0\n", "mimalloc", "none", ""},
    {"7f-80 r-xp 0 0:0 2 /opt/libdnnl\xff.so.3\n", "system", "none", "libdnnl?.so.3"},
    {"garbage\n[heap]\n/\n///\n", "system", "none", ""},
};

TEST(the_memory_map_shows_the_loaded_libraries)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(tree_remove) struct tree tree = tree_make();
        struct loaded_libraries loaded;

        tree_put(&tree, "/proc/7/maps", "%s", cases[i].maps);
        loaded_libraries_read(tree.root, 7, &loaded);
        EXPECT_HAS(loaded, (allocator, cases[i].allocator), (openmp, cases[i].openmp),
                   (dnn, cases[i].dnn));
    }
}

TEST(the_libraries_are_written_in_one_line)
{
    struct loaded_libraries loaded = {"tcmalloc", "llvm", "libdnnl.so.3.7"};
    AUTO(freep) char *text = loaded_libraries_to_text(&loaded);

    EXPECT_STR(text,
               "{\"allocator\":\"tcmalloc\",\"openmp\":\"llvm\",\"dnn\":\"libdnnl.so.3.7\"}");
    loaded_libraries_read("/nowhere", 7, &loaded);
    AUTO(freep) char *nothing = loaded_libraries_to_text(&loaded);
    EXPECT_STR(nothing, "{\"allocator\":\"system\",\"openmp\":\"none\",\"dnn\":null}");
}
