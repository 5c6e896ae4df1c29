// SPDX-License-Identifier: Apache-2.0
/// Daphne inside of a C++ program: one compiled program, run by four threads with
/// their own inputs at the same time; an error with its place; a session.
///
///     c++ -std=c++17 shared_program.cpp $(pkg-config --cflags --libs daphne) -pthread -o shared && ./shared
#include <daphne/daphne.hpp>

#include <iostream>
#include <thread>

int main() {
    daphne::Engine engine;
    daphne::Program program =
        engine.compile("norm = sqrt(sum(X ^ 2.0));", {daphne::Input::matrix("X")}, {"norm"});

    double norms[4] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::vector<double> cells(100, t + 1.0);
            daphne::Value x = daphne::Value::borrow(cells.data(), 10, 10); // not copied
            norms[t] = program.run({x})["norm"].number<double>();
        });
    for (std::thread &thread : threads)
        thread.join();
    for (double norm : norms)
        std::cout << norm << "\n";

    try {
        engine.compile("X = [1, 2, 3];\nprint(X @ X);");
    } catch (const daphne::Error &error) {
        std::cout << error.rendered();
    }

    daphne::Session session = engine.session();
    session.run("squares = seq(1.0, 3.0, 1.0) ^ 2.0;");
    session.run("print(sum(squares));", {[](std::string_view text) { std::cout << text; }});
}
