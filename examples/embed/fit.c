/* SPDX-License-Identifier: Apache-2.0 */
/* Daphne inside of a C program: fits a line through points that the program has in memory, without copying them.
 *
 *     cc fit.c $(pkg-config --cflags --libs daphne) -o fit && ./fit
 */
#include <daphne/daphne.h>

#include <stdio.h>
#include <string.h>

static int fail(daphne_error *error) {
    fputs(daphne_error_rendered(error), stderr);
    daphne_error_free(error);
    return 1;
}

int main(void) {
    const double x[] = {1, 2, 3, 4}, y[] = {6, 5, 7, 10};
    daphne_error *error = NULL;
    daphne_engine *engine = NULL;
    if (daphne_engine_new(NULL, &engine, &error))
        return fail(error);

    const daphne_input inputs[] = {
        {.size = sizeof inputs[0], .kind = DAPHNE_DENSE, .type = DAPHNE_F64, .name = "x", .rows = -1, .cols = 1},
        {.size = sizeof inputs[0], .kind = DAPHNE_DENSE, .type = DAPHNE_F64, .name = "y", .rows = -1, .cols = 1}};
    const char *outputs[] = {"w"};
    daphne_program *program = NULL;
    if (daphne_compile(engine,
                       "X = cbind(fill(1.0, nrow(x), 1), x);"
                       "w = solve(t(X) @ X, t(X) @ y);",
                       inputs, 2, outputs, 1, &program, &error))
        return fail(error);

    const daphne_dense views[] = {{.size = sizeof views[0], .type = DAPHNE_F64, .data = x, .rows = 4, .cols = 1},
                                  {.size = sizeof views[0], .type = DAPHNE_F64, .data = y, .rows = 4, .cols = 1}};
    daphne_value *values[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i)
        if (daphne_value_dense(&views[i], NULL, NULL, &values[i], &error))
            return fail(error);
    daphne_result *result = NULL;
    if (daphne_run(program, values, 2, NULL, &result, &error))
        return fail(error);

    daphne_value *w = daphne_result_value(result, "w");
    daphne_dense cells = {0};
    cells.size = sizeof cells;
    if (daphne_get_dense(w, &cells, &error))
        return fail(error);
    const double *line = cells.data;
    printf("y = %.1f + %.1f x\n", line[0], line[1]);

    daphne_value_free(w);
    daphne_result_free(result);
    daphne_value_free(values[0]);
    daphne_value_free(values[1]);
    daphne_program_free(program);
    daphne_engine_free(engine);
    return 0;
}
