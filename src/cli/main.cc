#include <iostream>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "cli/command_line.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const bool interactive = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  return laurel::cli::RunCommandLine(arguments, std::cin, std::cout, std::cerr, interactive);
}
