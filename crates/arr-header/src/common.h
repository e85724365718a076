#include <stdbool.h>
#include <stdint.h>

#ifndef ARR_H
#define ARR_H

#ifdef __cplusplus
#define ARR_C extern "C"
#else
#define ARR_C
#endif

/* What every function returns. */
typedef enum arr_status {
    ARR_OK = 0,
    ARR_FAILED = 1,        /* the program stopped: an index out of range, a division by zero, .. */
    ARR_BAD_ARGUMENT = 2,  /* an argument does not fit the function, or the other arguments */
    ARR_OUT_OF_MEMORY = 3, /* there is not enough memory, or the context allows no more */
    ARR_BUSY = 4,          /* another thread is in a call with this context */
    ARR_INTERNAL = 5       /* the library was put together from different versions, or has a fault */
} arr_status;

/*
 * A context holds the message of the last failure and the limits of calls. One thread uses it at a time; threads that
 * call at once have a context each. There is no other state.
 *
 * Arguments are read in place and never changed or kept. Results are written when the call succeeds, and not touched
 * otherwise; a result pointer that is NULL means that this result is not wanted. Arrays in results belong to the
 * caller, whatever becomes of the context, until their arr_free_ function is called, which leaves them empty.
 *
 * A function whose name ends in _into writes arrays to memory that the caller gives instead: `data` of each result, which
 * has room for as many elements as its `dims` say. Afterwards `dims` are those of the result. The memory may be that of
 * arguments, but not of another result. Such a call allocates nothing, if it is not the first one of the context that has
 * arguments of these sizes, and runs on one thread.
 */
typedef struct arr_context arr_context;

ARR_C arr_context *arr_context_new(void);
ARR_C void arr_context_free(arr_context *context);

/* What a status says, in one line. Of ARR_BUSY there is no more to know: the context belongs to the other thread. */
ARR_C const char *arr_status_text(arr_status status);

/* What went wrong in the last call that failed, with the place in the program: one line, valid until the next call. */
ARR_C const char *arr_context_error(const arr_context *context);

/* The number of its diagnostic, 601 for E0601 (`arr explain E0601`); 0 if it has none. */
ARR_C int32_t arr_context_code(const arr_context *context);

/*
 * Copies the message of a call that has just returned `status`, as much of it as `room` bytes hold with the 0 at the end, and
 * gives the number of its diagnostic. While another thread is in a call, the text of ARR_BUSY is copied.
 */
ARR_C int32_t arr_context_copy_error(arr_context *context, arr_status status, char *text, int64_t room);

/* How many bytes each later call may use for arrays; no limit if this is not called. */
ARR_C void arr_context_set_max_memory(arr_context *context, int64_t bytes);

/*
 * On how many threads each later call runs; one if this is not called, as many as there are cores if the number is 0.
 * There are never more than 64, or than there are cores if these are more. Results do not depend on it. All contexts of
 * a process share these threads.
 */
ARR_C void arr_context_set_threads(arr_context *context, int32_t threads);

#endif
