// Compares a model's file with the bytes of the safetensors format, written out by hand, and lists files that
// must be refused.
#include "muster/simulation/runs/model_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "muster/core/error.h"

namespace muster::simulation {
namespace {

using ::testing::HasSubstr;

StoredModel small() {
  return {
      {{"plan", "abc"}, {"epsilon", "0.5"}},
      {{"fc1.weight", {2, 3}, {1, 2, 3, 4, 5, 6}}, {"fc1.bias", {2}, {-0.5F, 1e-30F}}, {"none", {0, 4}, {}}}};
}

// Returns a file of the format with this header and with `values` zero bytes in place of the values.
std::string file_with(const std::string& header, std::size_t values) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header +
         std::string(values, '\0');
}

std::string refusal(const std::string& bytes) {
  try {
    decode_model(bytes, "run/model.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.key(), "run/model.safetensors");
    return error.what();
  }
  return "nothing was refused";
}

TEST(ModelFile, IsReadBackAsItWasWritten) {
  const std::string bytes = encode_model(small());
  EXPECT_EQ(decode_model(bytes, "x"), small());
  EXPECT_EQ(decode_model(encode_model({}), "x"), StoredModel{});
}

TEST(ModelFile, HasTheBytesOfTheFormat) {
  const std::string header =
      R"({"__metadata__":{"epsilon":"0.5","plan":"abc"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  std::string expected = file_with(padded, 0);
  expected += std::string("\0\0\x80\x3f\0\0\0\xc0", 8);  // the values 1 and -2
  EXPECT_EQ(encode_model({small().about, {{"w", {2}, {1, -2}}}}), expected);
}

TEST(ModelFile, WhatIsNoModelIsRefusedByName) {
  const std::string good = encode_model(small());
  EXPECT_THAT(refusal(""), HasSubstr("shorter than"));
  EXPECT_THAT(refusal(good.substr(0, 7)), HasSubstr("shorter than"));
  EXPECT_THAT(refusal(good.substr(0, 20)), HasSubstr("no safetensors file, or cut off"));
  EXPECT_THAT(refusal(good.substr(0, good.size() - 1)), HasSubstr("is not in the file"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("bytes after the last tensor"));
  EXPECT_THAT(refusal(std::string(8, '\xff')), HasSubstr("no safetensors file, or cut off"));
  EXPECT_THAT(refusal(file_with("[]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(file_with("{", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(file_with(R"({"__metadata__":{"a":1}})", 0)), HasSubstr("\"a\" are no text"));
  const auto tensor = [](const char* dtype, const char* shape, const char* offsets) {
    return file_with(std::string(R"({"w":{"dtype":")") + dtype + R"(","shape":)" + shape +
                         R"(,"data_offsets":)" + offsets + "}}",
                     8);
  };
  EXPECT_EQ(decode_model(tensor("F32", "[2]", "[0,8]"), "x").tensors.size(), 1);
  EXPECT_THAT(refusal(tensor("F64", "[1]", "[0,8]")), HasSubstr("not of 32-bit floats"));
  EXPECT_THAT(refusal(tensor("F32", "[3]", "[0,8]")), HasSubstr("larger than the file"));
  EXPECT_THAT(refusal(tensor("F32", "[1]", "[0,8]")), HasSubstr("does not fit its shape"));
  EXPECT_THAT(refusal(tensor("F32", "[4294967296,4294967296,2]", "[0,8]")),
              HasSubstr("larger than the file"));
  EXPECT_THAT(refusal(tensor("F32", "[-2]", "[0,8]")), HasSubstr("no list of counts"));
  EXPECT_THAT(refusal(tensor("F32", "2", "[0,8]")), HasSubstr("is no list"));
  EXPECT_THAT(refusal(tensor("F32", "[1]", "[4,8]")), HasSubstr("a gap or an overlap"));
  EXPECT_THAT(refusal(tensor("F32", "[2]", "[8,0]")), HasSubstr("is not in the file"));
  EXPECT_THAT(refusal(tensor("F32", "[2]", "[0,18446744073709551615]")), HasSubstr("is not in the file"));
  EXPECT_THAT(refusal(file_with(R"({"w":{"dtype":"F32"}})", 8)), HasSubstr("has no \"shape\""));
  EXPECT_THAT(refusal(file_with(R"({"w":7})", 8)), HasSubstr("has no \"dtype\""));
}

// A header of 1 MiB, the most that is read, could have 100,000 names or be nested 500,000 deep.
TEST(ModelFile, HostileHeadersAreRefused) {
  const auto with_names = [](int count) {
    std::string header = R"({"__metadata__":{)";
    for (int i = 0; i < count; ++i) header += fmt::format(R"("{:06}":"",)", i);
    header.back() = '}';
    return file_with(header + "}", 0);
  };
  EXPECT_EQ(decode_model(with_names(900), "x").about.size(), 900);
  EXPECT_THAT(refusal(with_names(75'000)), HasSubstr("more than 1000 fields"));
  const std::string deep = R"({"w":)" + std::string(500'000, '[') + std::string(500'000, ']') + "}";
  EXPECT_THAT(refusal(file_with(deep, 0)), HasSubstr("nested more than 100 deep"));
}

}  // namespace
}  // namespace muster::simulation
