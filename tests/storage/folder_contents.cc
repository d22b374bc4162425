#include "tests/storage/folder_contents.h"

#include "base/memory.h"
#include "engine/disk/restorer.h"
#include "engine/keyspace/digest.h"

namespace laurel::testing {
namespace {

constexpr std::uint64_t kOtherHashSeed = 99;

// A restorer that calls `on_batch` after each batch.
class ObservedRestorer : public engine::Restorer {
 public:
  ObservedRestorer(engine::Keyspace* keys, const FolderContents::OnBatch& on_batch)
      : Restorer(keys), keys_(keys), on_batch_(on_batch) {}

  Status OnBatch(std::uint64_t number, std::string_view effects, bool lenient) override {
    const Status status = Restorer::OnBatch(number, effects, lenient);
    if (status.ok() && on_batch_) on_batch_(number, *keys_);
    return status;
  }

 private:
  engine::Keyspace* keys_;
  const FolderContents::OnBatch& on_batch_;
};

}  // namespace

FolderContents::FolderContents(base::Folder* folder, const OnBatch& on_batch,
                               const storage::RecoverOptions& options)
    : keys_(base::SystemMemory(), kOtherHashSeed), recovery_(storage::Recovery()) {
  ObservedRestorer restorer(&keys_, on_batch);
  recovery_ = storage::Recover(folder, &restorer, options);
  if (!recovery_.ok()) {
    keys_.catalog().AbandonRestore();
    return;
  }
  if (options.holes == storage::Holes::kSkip && !recovery_->lost.empty()) restorer.Reconcile();
  if (const Status finished = restorer.Finish(); !finished.ok()) {
    keys_.catalog().AbandonRestore();
    recovery_ = finished.error();
    return;
  }
  digest_ = engine::DigestOf(&keys_).value;
  last_stamp_ = restorer.last_stamp();
}

}  // namespace laurel::testing
