#include "db/pool.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/db_open.h"

#include <assert.h>
#include <pthread.h>

struct db_pool {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    size_t size, idle; /* the first `idle` of list are free */
    struct db *list[];
};

struct db_pool *db_pool_open(const char *path, size_t size, struct error *err)
{
    struct db_pool *pool = xcalloc(1, sizeof *pool + size * sizeof pool->list[0]);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->returned, NULL);
    pool->size = size;
    for (; pool->idle < size; pool->idle++) {
        pool->list[pool->idle] = db_open(path, err);
        if (!pool->list[pool->idle]) {
            db_pool_free(pool);
            return NULL;
        }
    }
    return pool;
}

void db_pool_free(struct db_pool *pool)
{
    if (!pool)
        return;
    for (size_t i = 0; i < pool->idle; i++)
        db_free(pool->list[i]);
    pthread_cond_destroy(&pool->returned);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

struct db_loan db_borrow(struct db_pool *pool)
{
    struct db_loan loan = {.pool = pool};

    pthread_mutex_lock(&pool->lock);
    while (pool->idle == 0)
        pthread_cond_wait(&pool->returned, &pool->lock);
    loan.db = pool->list[--pool->idle];
    pthread_mutex_unlock(&pool->lock);
    return loan;
}

void db_loan_end(struct db_loan *loan)
{
    struct db_pool *pool = loan->pool;

    if (!loan->db)
        return;
    pthread_mutex_lock(&pool->lock);
    assert(pool->idle < pool->size);
    pool->list[pool->idle++] = loan->db;
    pthread_cond_signal(&pool->returned);
    pthread_mutex_unlock(&pool->lock);
    loan->db = NULL;
}
