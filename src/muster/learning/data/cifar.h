// The binary format of CIFAR-10 and CIFAR-100 (Krizhevsky 2009): records of label bytes and 3,072 pixels, the
// red plane, the green, the blue, each 32 rows of 32.
//
// CIFAR-10: data_batch_1.bin to data_batch_5.bin and test_batch.bin, one label a record (0..9).
// CIFAR-100: train.bin and test.bin, two labels a record, of which the second, fine one (0..99) is kept.
// Each file plain or with .gz appended. A folder that holds neither, or both, is refused. Decoding is
// total: whatever the bytes, the result is a data set or an Error(data) that names the file, what was
// found and what was expected. A part of a record, a training batch with fewer records than the first,
// and more records than the original files have are all refused. Memory grows with the bytes that are
// really there. Pure reading; any thread.
#pragma once

#include <filesystem>

#include "muster/learning/dataset.h"

namespace muster::learning {

inline constexpr std::size_t kCifarSide = 32;

// Images of shape 32x32x3, normalised by kCifar.
DataSplit load_cifar(const std::filesystem::path& dir);

}  // namespace muster::learning
