#include "tiny_network.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset13.hpp>

namespace cosyvoice::testing {
namespace {

namespace op = ov::opset13;
using Value = ov::Output<ov::Node>;

Value integers(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, {values.size()}, values);
}

Value slice(const Value& from, std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t axis) {
  return std::make_shared<op::Slice>(from, integers({begin}), integers({end}), integers({step}), integers({axis}));
}

Value weighted_sum(const Value& from, const ov::Shape& shape, const std::vector<float>& weights, std::int64_t axis) {
  const auto products = std::make_shared<op::Multiply>(from, op::Constant::create(ov::element::f32, shape, weights));
  return std::make_shared<op::ReduceSum>(products, integers({axis}), false);
}

Value add(const Value& a, const Value& b) {
  return std::make_shared<op::Add>(a, b);
}
Value convert(const Value& from, ov::element::Type type) {
  return std::make_shared<op::Convert>(from, type);
}
Value transpose(const Value& from, const std::vector<std::int64_t>& order) {
  return std::make_shared<op::Transpose>(from, integers(order));
}
Value unsqueeze(const Value& from, std::int64_t axis) {
  return std::make_shared<op::Unsqueeze>(from, integers({axis}));
}
Value concat(const ov::OutputVector& parts, std::int64_t axis) {
  return std::make_shared<op::Concat>(parts, axis);
}

std::shared_ptr<op::Parameter> input(const char* name, ov::element::Type type, const ov::PartialShape& shape) {
  auto parameter = std::make_shared<op::Parameter>(type, shape);
  parameter->output(0).set_names({name});
  parameter->set_friendly_name(name);
  return parameter;
}

std::shared_ptr<op::Result> output(const char* name, Value value) {
  value.set_names({name});
  return std::make_shared<op::Result>(value);
}

}  // namespace

Manifest tiny_manifest(const std::string& file) {
  Manifest manifest;
  manifest.name = "tiny";
  manifest.features.sample_rate = 16000;
  manifest.features.hop_ms = 10;
  manifest.features.mel.bins = 2;
  manifest.network.file = file;
  manifest.network.output_frame_ms = 20;
  manifest.network.chunks = {4, 8};
  manifest.network.default_chunk = 4;
  manifest.network.look_ahead = 1;
  manifest.network.input = "features";
  manifest.network.output = "out";
  manifest.network.counters = {"position"};
  StateOptions sum;
  sum.input = "sum";
  sum.output = "sum_next";
  sum.shape = {1, 2};
  StateOptions past;
  past.input = "past";
  past.output = "past_new";
  past.shape = {3, 1, 2};
  past.batch_axis = 1;
  past.initial = kPastInitial;
  past.advance = Advance::kRing;
  past.axis = 0;
  StateOptions halves;
  halves.input = "halves";
  halves.output = "halves_new";
  halves.shape = {1, 2, 5};
  halves.type = ElementType::kF16;
  halves.advance = Advance::kRing;
  halves.axis = 2;
  manifest.network.states = {sum, past, halves};
  manifest.tokens = {"<blank>", "a", "b"};
  return manifest;
}

namespace {

/// `bias` is added to every output frame.
std::shared_ptr<ov::Model> build(const Value& bias) {
  const auto features = input("features", ov::element::f32, {-1, -1, 2});
  const auto position = input("position", ov::element::i64, {-1});
  const auto sum = input("sum", ov::element::f32, {-1, 2});
  const auto past = input("past", ov::element::f32, {3, -1, 2});
  const auto halves = input("halves", ov::element::f16, {-1, 2, 5});

  const Value x = slice(features, 0, -1, 2, 1);                                 // [batch, frames, 2]
  const Value ahead = slice(slice(features, -1, INT64_MAX, 1, 1), 1, 2, 1, 2);  // [batch, 1, 1]
  const Value aged = slice(weighted_sum(past, {3, 1, 1}, {1, 10, 100}, 0), 0, 1, 1, 1);
  const Value counted = add(unsqueeze(convert(position, ov::element::f32), 1), slice(sum, 0, 1, 1, 1));
  const Value half_sum = weighted_sum(convert(halves, ov::element::f32), {1, 1, 5}, {1, 2, 3, 4, 5}, 2);
  const Value last = slice(half_sum, 1, 2, 1, 1);
  const Value zero =
      std::make_shared<op::Multiply>(slice(x, 0, 1, 1, 2), op::Constant::create(ov::element::f32, {}, {0.0F}));
  const Value first = add(slice(x, 0, 1, 1, 2), unsqueeze(aged, 1));
  const Value second = add(add(zero, unsqueeze(counted, 1)), ahead);
  const Value third = add(zero, unsqueeze(last, 1));

  const ov::ResultVector results = {
      output("out", add(concat({first, second, third}, 2), bias)),
      output("sum_next", add(sum, std::make_shared<op::ReduceSum>(x, integers({1}), false))),
      output("past_new", transpose(x, {1, 0, 2})),
      output("halves_new", convert(transpose(x, {0, 2, 1}), ov::element::f16)),
  };
  return std::make_shared<ov::Model>(results, ov::ParameterVector{features, position, sum, past, halves});
}

}  // namespace

std::shared_ptr<ov::Model> tiny_model() {
  return build(op::Constant::create(ov::element::f32, {}, {0.0F}));
}

std::shared_ptr<ov::Model> tiny_model_of_one_length() {
  return build(op::Constant::create(ov::element::f32, {1, 2, 1}, {1.0F, 1.0F}));
}

void save(const std::shared_ptr<ov::Model>& model, const std::string& file) {
  ov::save_model(model, file, false);
}

}  // namespace cosyvoice::testing
