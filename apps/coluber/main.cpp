#include "coluber/cli/cli.hpp"

int main(int argc, char** argv) { return coluber::cli::main(argc, argv); }
