#include "muster/http/upload_counts.h"

namespace muster::service {

void UploadCounts::add(Answer answer) {
  switch (answer) {
    case Answer::stored:
      ++stored_;
      break;
    case Answer::refused:
      ++refused_;
      break;
    case Answer::over:
      ++over_;
      break;
    case Answer::busy:
      ++busy_;
      break;
  }
}

UploadCounts::Counts UploadCounts::now() const { return {stored_, refused_, over_, busy_}; }

void UploadCounts::round_opens() {
  const std::lock_guard lock(mutex_);
  at_opening_ = now();
  is_open_ = true;
}

void UploadCounts::round_ends() {
  const std::lock_guard lock(mutex_);
  is_open_ = false;
}

UploadCounts::Counts UploadCounts::told() const {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return now();
  Counts told = at_opening_;
  told.busy = busy_;
  return told;
}

}  // namespace muster::service
