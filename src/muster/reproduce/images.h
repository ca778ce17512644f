// Finds the images that figures are trained on in the folder that the user gives, and says which they are.
//
// MNIST's four idx files lie in the folder itself, which the plans read as "idx:DIR". The binary versions of
// CIFAR-10 and CIFAR-100 lie in the subfolders that their archives unpack to. Any thread may call the
// functions; cifar_folders looks at the folder and changes nothing.
#pragma once

#include <string>

namespace muster::reproduce {

// Data sets as plans name them: "cifar:DIR/cifar-10-batches-bin" and "cifar:DIR/cifar-100-binary".
struct CifarFolders {
  std::string ten, hundred;
};

// Returns the subfolders of `data`, which is a folder, with or without a format before it ("idx:DIR"). Throws
// Error(usage) if `data` is empty, is "digits" or has the format of a file, and Error(data) if a subfolder is
// missing.
CifarFolders cifar_folders(const std::string& data);

// Says whether training and test examples with this digest (simulation/runs/checkpoint.h, in hexadecimal) are
// those of MNIST. Other images can have MNIST's format.
bool is_mnist(const std::string& digest);

}  // namespace muster::reproduce
