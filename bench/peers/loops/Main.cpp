// SPDX-License-Identifier: Apache-2.0
#include "loops/Loops.h"

int main(int argc, char **argv) {
    return peer::runCase(argc, argv,
                         {{"components", peer::components},
                          {"pagerank", peer::pagerank},
                          {"cells-sum", peer::cellsSum},
                          {"cells-map", peer::cellsMap},
                          {"regression-direct", peer::regressionDirect},
                          {"regression-cg", peer::regressionCg},
                          {"kmeans", peer::kmeans},
                          {"nbody", peer::nbody},
                          {"machine", peer::machine}});
}
