/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is no plug-in. */
int daphne_test_unrelated(void) { return 0; }
