#include <csignal>
#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "cli/program_commands.h"

int main(int argc, char** argv) {
  // With these signals ignored, a file at the size limit (ulimit -f) and a closed pipe or
  // connection cause I/O errors, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  // Our code throws nothing, but the standard library does: std::bad_alloc, std::system_error.
  try {
    return laurel::cli::RunCommandLine(arguments, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "laurel: " << error.what() << std::endl;
    return laurel::cli::kExitFailed;
  }
}
