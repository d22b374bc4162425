// Shows the progress of an import or export on standard error, and the report on `out`.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/load_progress.h"
#include "transfer/sources/reporter.h"

namespace laurel::cli {

class TransferReporter final : public transfer::Reporter {
 public:
  TransferReporter(std::ostream& out, std::ostream& err) : out_(out), err_(err) {}

  void Begin(std::string_view work, transfer::ProgressUnit unit) override {
    End();
    bar_ = std::make_unique<LoadProgress>(err_, work,
                                          unit == transfer::ProgressUnit::kBytes
                                              ? LoadProgress::Unit::kBytes
                                              : LoadProgress::Unit::kRows);
  }
  void Progress(std::uint64_t done, std::uint64_t total) override {
    if (bar_) bar_->Show({done, total});
  }
  void End() override {
    if (bar_) bar_->Finish();
    bar_.reset();
  }
  void Say(const std::string& line) override { out_ << line << "\n" << std::flush; }

 private:
  std::ostream& out_;
  std::ostream& err_;
  std::unique_ptr<LoadProgress> bar_;  // null: no work in progress
};

}  // namespace laurel::cli
