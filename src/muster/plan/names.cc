#include "muster/plan/plan.h"

namespace muster::protocols {

const char* name_of(Command command) {
  switch (command) {
    case Command::account:
      return "account";
    case Command::calibrate:
      return "calibrate";
    case Command::compare:
      return "compare";
    case Command::train:
      return "train";
  }
  return "";
}

const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::shuffle:
      return "shuffle";
    case Protocol::subset:
      return "subset";
    case Protocol::shuffled_check_in:
      return "shuffled-check-in";
    case Protocol::random_check_in_fixed:
      return "random-check-in-fixed";
    case Protocol::random_check_in_averaged:
      return "random-check-in-averaged";
    case Protocol::random_check_in_sliding:
      return "random-check-in-sliding";
    case Protocol::aggregated_check_in:
      return "aggregated-check-in";
  }
  return "";
}

const char* name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::cnn:
      return "cnn";
    case ModelKind::logistic:
      return "logistic";
    case ModelKind::mlp:
      return "mlp";
    case ModelKind::features_linear:
      return "features+linear";
    case ModelKind::mean:
      return "mean";
    case ModelKind::histogram:
      return "histogram";
  }
  return "";
}

const char* name_of(Activation activation) { return activation == Activation::tanh ? "tanh" : "relu"; }

}  // namespace muster::protocols
