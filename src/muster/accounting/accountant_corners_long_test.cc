// This is accountant_corners_test.cc with all questions, some of which take ten seconds.
#define MUSTER_EVERY_CORNER 1
#include "muster/accounting/accountant_corners_test.cc"  // NOLINT(bugprone-suspicious-include): on purpose
