/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of Daphne for programs in C and for everybody who can call C.
 *
 *     daphne_engine *engine;
 *     daphne_program *program;
 *     daphne_error *error = NULL;
 *     daphne_engine_new(NULL, &engine, &error);
 *     daphne_input x = {.size = sizeof x, .kind = DAPHNE_DENSE, .type = DAPHNE_F64, .name = "X", .rows = -1, .cols = -1};
 *     const char *outputs[] = {"s"};
 *     daphne_compile(engine, "s = sum(X);", &x, 1, outputs, 1, &program, &error);
 *
 * Rules
 * - Functions that may fail return 0 or a daphne_status and then set *error, if error is not NULL; the caller frees it.
 *   Results are written only on success.
 * - Engines, programs, values and cancel flags may be used by any number of threads at the same time; a session by one
 *   at a time, a result and an error by one at a time. X_free releases the caller's handle and takes NULL; things that
 *   are still in use live on until they are not.
 * - The engine never prints, ends the process, installs handlers, or reads or changes the environment. What a script
 *   prints goes to the sinks of the run, on the thread that runs it.
 * - Structures begin with their size, which the caller sets: later versions may add members at the end.
 * - Text is UTF-8 and ends with a zero byte.
 */
#ifndef DAPHNE_H
#define DAPHNE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DAPHNE_API __attribute__((visibility("default")))
#else
#define DAPHNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DAPHNE_ABI_MAJOR 1
#define DAPHNE_ABI_MINOR 1
/* major << 16 | minor of the library. Minor versions only add. */
DAPHNE_API uint32_t daphne_abi_version(void);
/* Version of Daphne, such as "0.1.0". */
DAPHNE_API const char *daphne_version(void);

typedef struct daphne_engine daphne_engine;
typedef struct daphne_program daphne_program;
typedef struct daphne_session daphne_session;
typedef struct daphne_value daphne_value;
typedef struct daphne_result daphne_result;
typedef struct daphne_error daphne_error;
typedef struct daphne_cancel daphne_cancel;

/* What failed. The first three are the exit statuses of the command line. */
typedef enum daphne_status {
    DAPHNE_OK = 0,
    DAPHNE_PARSE_ERROR = 1,
    DAPHNE_COMPILE_ERROR = 2,
    DAPHNE_EXECUTION_ERROR = 3,
    DAPHNE_CANCELLED = 4,
    DAPHNE_USAGE_ERROR = 5, /* a call of this interface that makes no sense */
    DAPHNE_INTERNAL_ERROR = 70
} daphne_status;

typedef enum daphne_kind {
    DAPHNE_NOTHING = 0,
    DAPHNE_NUMBER = 1,
    DAPHNE_TEXT = 2,
    DAPHNE_DENSE = 3, /* matrix, row by row */
    DAPHNE_CSR = 4,   /* matrix, compressed sparse rows */
    DAPHNE_FRAME = 5,
    DAPHNE_LIST = 6,    /* of any values; its type is that of matrices, if it holds such of one type only, else ANY */
    DAPHNE_FUNCTION = 7 /* of the program or session that made it, and of no use elsewhere */
} daphne_kind;

/* Value types of cells and numbers. */
typedef enum daphne_type {
    DAPHNE_BOOL = 0, /* one byte, 0 or 1 */
    DAPHNE_SI8 = 1,
    DAPHNE_UI8 = 2,
    DAPHNE_SI32 = 3,
    DAPHNE_UI32 = 4,
    DAPHNE_SIZE = 5, /* like UI64 */
    DAPHNE_SI64 = 6,
    DAPHNE_UI64 = 7,
    DAPHNE_F32 = 8,
    DAPHNE_F64 = 9,
    DAPHNE_STR = 10,
    DAPHNE_ANY = 11 /* of an input: not known before it is bound */
} daphne_type;

/* Called once, on any thread, when nobody needs the memory any more. */
typedef void (*daphne_release)(void *user);

/* ---- engines and programs */

/* json: an object with the keys of a configuration file, or NULL. */
DAPHNE_API int daphne_engine_new(const char *json, daphne_engine **engine, daphne_error **error);
/* What an engine tells whoever made it; members may be NULL. */
typedef struct daphne_host {
    uint32_t size;
    void *user;
    /* The program after a step that the option "explain" names; on the thread that compiles or, "loops", runs. */
    void (*explain)(void *user, const char *step, const char *text, size_t length);
    /* What a program probably does not mean; on the thread that compiles. */
    void (*warn)(void *user, const char *text, size_t length);
    /* What the scheduler has to say, with "statistics" or "debug-mt"; on any thread. */
    void (*log)(void *user, const char *text, size_t length);
} daphne_host;
/* As daphne_engine_new; host may be NULL. Programs of an engine that explains are compiled anew each time. */
DAPHNE_API int daphne_engine_new_hosted(const char *json, const daphne_host *host, daphne_engine **engine,
                                        daphne_error **error);
DAPHNE_API void daphne_engine_free(daphne_engine *engine);
/* JSON: version, threads, and warnings about options; as long as the engine is there. */
DAPHNE_API const char *daphne_engine_info(daphne_engine *engine);
/* Forgets compiled programs and gives memory that is kept for later use back to the system. */
DAPHNE_API void daphne_engine_trim(daphne_engine *engine);

/* A variable that is defined when the program begins. DENSE and CSR are both matrices: either may be bound. */
typedef struct daphne_input {
    uint32_t size;
    uint32_t kind; /* daphne_kind */
    uint32_t type; /* daphne_type; of numbers, matrices and lists */
    const char *name;
    int64_t rows, cols; /* -1: any; of matrices and frames */
    /* Of a frame whose columns are known, which queries need: a label and a daphne_type for each of cols; or NULL. */
    const char *const *labels;
    const uint32_t *types;
} daphne_input;

/* Compiles a program. outputs: variables whose values a run returns. Programs are kept by the engine and shared by
 * whoever compiles the same text for the same inputs. */
DAPHNE_API int daphne_compile(daphne_engine *engine, const char *text, const daphne_input *inputs, size_t num_inputs,
                              const char *const *outputs, size_t num_outputs, daphne_program **program,
                              daphne_error **error);
/* What the compiler knows of an output; kind NOTHING if that is nothing, or there is no such output. Name, labels and
 * types are there as long as the program. */
DAPHNE_API void daphne_program_output(const daphne_program *program, size_t index, daphne_input *what);
DAPHNE_API void daphne_program_free(daphne_program *program);

/* ---- runs */

typedef enum daphne_sink { DAPHNE_OUTPUT = 1, DAPHNE_ERROR_OUTPUT = 2 } daphne_sink;

typedef struct daphne_options {
    uint32_t size;
    void *user;
    /* What the script prints; NULL: discarded. On the thread that runs. */
    void (*write)(void *user, daphne_sink sink, const char *text, size_t length);
    /* How far work has come (total 0: nobody knows); NULL: nobody listens. Rarely, on any thread. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    daphne_cancel *cancel; /* NULL: the run cannot be cancelled */
    uint32_t at_once;      /* not 0: write gets every print at once, else large pieces */
} daphne_options;

/* Runs the program: one value per input, in order. The same program may run on many threads at the same time. */
DAPHNE_API int daphne_run(const daphne_program *program, daphne_value *const *inputs, size_t num_inputs,
                          const daphne_options *options, daphne_result **result, daphne_error **error);

/* The value of an output, which the caller frees; NULL if there is none of this name. */
DAPHNE_API daphne_value *daphne_result_value(const daphne_result *result, const char *name);
/* What the run did, as JSON; as long as the result is there. */
DAPHNE_API const char *daphne_result_profile(const daphne_result *result);
DAPHNE_API void daphne_result_free(daphne_result *result);

DAPHNE_API daphne_cancel *daphne_cancel_new(void);
/* Stops all runs with this flag, now and later. May be called in a signal handler. */
DAPHNE_API void daphne_cancel_request(daphne_cancel *cancel);
/* Runs that begin later are not stopped. */
DAPHNE_API void daphne_cancel_clear(daphne_cancel *cancel);
DAPHNE_API void daphne_cancel_free(daphne_cancel *cancel);

/* ---- sessions: variables, functions and views stay from text to text; a text that fails changes nothing */

DAPHNE_API int daphne_session_new(daphne_engine *engine, daphne_session **session, daphne_error **error);
DAPHNE_API int daphne_session_run(daphne_session *session, const char *text, const daphne_options *options,
                                  daphne_result **result, daphne_error **error);
/* As at a prompt: one statement after the other, once all of them were checked; what those before a failure have done
 * stays. The last ';' may be missing; if an expression lacks it, show gets its value, and options->user. The value is gone
 * when show returns, unless it was retained. */
DAPHNE_API int daphne_session_run_statements(daphne_session *session, const char *text, const daphne_options *options,
                                             void (*show)(void *user, daphne_value *value), daphne_error **error);
/* value NULL: there is no variable of this name any more. */
DAPHNE_API int daphne_session_set(daphne_session *session, const char *name, daphne_value *value,
                                  daphne_error **error);
/* The value of a variable, which the caller frees; NULL if there is none. */
DAPHNE_API daphne_value *daphne_session_get(const daphne_session *session, const char *name);
/* The names of all variables, one per line; until the session runs or is changed again. */
DAPHNE_API const char *daphne_session_names(daphne_session *session);
DAPHNE_API void daphne_session_free(daphne_session *session);

/* ---- what notebooks and prompts need. JSON and names are there until the session is called again. */

/* As daphne_session_run, and the last ';' may be missing. *value, which the caller frees, is then what the last
 * expression yields; NULL if it has no value, or the text ends with something else. name: what errors call the text,
 * such as "cell 3"; NULL: "input". */
DAPHNE_API int daphne_session_evaluate(daphne_session *session, const char *text, const char *name,
                                       const daphne_options *options, daphne_value **value, daphne_result **result,
                                       daphne_error **error);
/* Whether more lines may complete the text: it ends in brackets, a string, a comment or an operator. */
DAPHNE_API int daphne_is_incomplete(const char *text);
/* What may stand instead of the word that ends at byte `cursor` of the text, in order:
 * {"begin": 4, "candidates": [{"text": "sum", "kind": "builtin"}]}. Kinds are variable, function, builtin, word (of the
 * language), column (of the frame that is indexed) and file. */
DAPHNE_API const char *daphne_session_completions(daphne_session *session, const char *text, size_t cursor);
/* What is known of the name at byte `cursor`, and then of the function whose arguments the cursor is among:
 * [{"name": "sum", "kind": "builtin", "text": "sum(arg, ..."}]. Of functions there is also their "source"; of names that
 * nobody knows the kind is "", and "near" may be the builtin that was meant. */
DAPHNE_API const char *daphne_session_explanations(daphne_session *session, const char *text, size_t cursor);
/* How a prompt shows the value: what it is, in one line, then head and tail as a table cut to `width` characters. Returns
 * the length of the text; as much of it as fits, and a zero byte, go to buffer, which may be NULL if size is 0. */
DAPHNE_API size_t daphne_display(const daphne_value *value, size_t width, char *buffer, size_t size);

/* ---- values */

typedef struct daphne_dense {
    uint32_t size;
    uint32_t type;
    const void *data;
    uint64_t rows, cols;
    int64_t row_bytes; /* from a row to the next; 0: no gaps */
    uint64_t flags;    /* DAPHNE_EXCLUSIVE, only of daphne_get_dense */
} daphne_dense;

enum {
    DAPHNE_CANONICAL = 1,
    DAPHNE_EXCLUSIVE = 2 /* the value has one handle, and nobody else sees its cells: they may be written */
};

typedef struct daphne_csr {
    uint32_t size;
    uint32_t type;
    uint32_t offset_bits, column_bits; /* 32 or 64 */
    const void *offsets;               /* rows + 1, the first is 0 */
    const void *columns;
    const void *values; /* NULL: all stored cells are 1 */
    uint64_t rows, cols;
    uint64_t flags; /* DAPHNE_CANONICAL: columns of a row ascend, no stored zeros, all are valid; else it is checked */
} daphne_csr;

/* Matrices over memory of the caller, which must not change until release(user) is called; release may be NULL. Cells
 * are not copied if they are aligned to their size and a row has no gaps inside; of a csr, if columns have 32 bits (up
 * to 2^32 columns, else 64) and it is canonical; its offsets are copied unless they have 64 bits. What is copied as a
 * whole is released at once. On failure nothing is released. */
DAPHNE_API int daphne_value_dense(const daphne_dense *view, daphne_release release, void *user, daphne_value **value,
                                  daphne_error **error);
DAPHNE_API int daphne_value_csr(const daphne_csr *view, daphne_release release, void *user, daphne_value **value,
                                daphne_error **error);
/* bits: the number, sign- or zero-extended; of F32 the low half, of F64 all bits. */
DAPHNE_API int daphne_value_number(uint32_t type, uint64_t bits, daphne_value **value, daphne_error **error);
DAPHNE_API int daphne_value_text(const char *text, size_t length, daphne_value **value, daphne_error **error);
/* A matrix of strings, row by row; copied. */
DAPHNE_API int daphne_value_strings(const char *const *cells, uint64_t rows, uint64_t cols, daphne_value **value,
                                    daphne_error **error);
/* The same of text without ends: cell i is the bytes from offsets[i] up to offsets[i + 1]; offsets has one more. */
DAPHNE_API int daphne_value_packed_strings(const char *bytes, const int64_t *offsets, uint64_t rows, uint64_t cols,
                                           daphne_value **value, daphne_error **error);
/* A frame of columns: n x 1 matrices of any type, which are shared. */
DAPHNE_API int daphne_value_frame(const char *const *labels, daphne_value *const *columns, size_t num_columns,
                                  daphne_value **value, daphne_error **error);
DAPHNE_API int daphne_value_list(daphne_value *const *elements, size_t num_elements, daphne_value **value,
                                 daphne_error **error);
/* A frame from a stream of Arrow's C stream interface (struct ArrowArrayStream), which is taken over also on failure.
 */
struct ArrowArrayStream;
DAPHNE_API int daphne_value_stream(struct ArrowArrayStream *stream, daphne_value **value, daphne_error **error);

DAPHNE_API daphne_value *daphne_value_retain(daphne_value *value);
DAPHNE_API void daphne_value_free(daphne_value *value);

/* What it is; name is NULL, shapes are exact. */
DAPHNE_API void daphne_describe(const daphne_value *value, daphne_input *what);
/* Views are valid as long as the value is there. */
DAPHNE_API int daphne_get_dense(const daphne_value *value, daphne_dense *view, daphne_error **error);
DAPHNE_API int daphne_get_csr(const daphne_value *value, daphne_csr *view, daphne_error **error);
DAPHNE_API int daphne_get_number(const daphne_value *value, uint32_t *type, uint64_t *bits, daphne_error **error);
/* The text, or the cell of a matrix of strings (row and column 0 of a text). */
DAPHNE_API int daphne_get_text(const daphne_value *value, uint64_t row, uint64_t col, const char **text, size_t *length,
                               daphne_error **error);
/* All cells of a matrix of strings, packed as above, as long as the value is there. */
DAPHNE_API int daphne_get_packed_strings(const daphne_value *value, const char **bytes, const int64_t **offsets,
                                         daphne_error **error);
/* A matrix of strings as numbers (ui32, a view as long as the value is there) of the rows of a column of different
 * strings, which the caller frees. */
DAPHNE_API int daphne_get_codes(const daphne_value *value, daphne_dense *codes, daphne_value **strings,
                                daphne_error **error);
DAPHNE_API uint64_t daphne_frame_width(const daphne_value *value);
DAPHNE_API const char *daphne_frame_label(const daphne_value *value, uint64_t column);
/* A column of a frame or an element of a list, which the caller frees; NULL if there is none. */
DAPHNE_API daphne_value *daphne_get_part(const daphne_value *value, uint64_t index);
DAPHNE_API uint64_t daphne_list_length(const daphne_value *value);
/* A frame as a stream; the caller releases it. Columns of numbers are not copied. */
DAPHNE_API int daphne_get_stream(const daphne_value *value, struct ArrowArrayStream *stream, daphne_error **error);

/* ---- errors */

DAPHNE_API int daphne_error_status(const daphne_error *error);
/* One sentence. */
DAPHNE_API const char *daphne_error_message(const daphne_error *error);
/* "" if there is none. */
DAPHNE_API const char *daphne_error_hint(const daphne_error *error);
/* Message, place, source line, labels and hint, as the command line shows them. */
DAPHNE_API const char *daphne_error_rendered(const daphne_error *error);
/* Everything for programs: status, message, hint, operation, file, line, column, end, labels, notes, and further
 * errors of the same text. */
DAPHNE_API const char *daphne_error_json(const daphne_error *error);
DAPHNE_API void daphne_error_free(daphne_error *error);

#ifdef __cplusplus
}
#endif

#endif
