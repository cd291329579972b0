#include "core/silero.h"

#include <algorithm>
#include <filesystem>
#include <openvino/openvino.hpp>
#include <stdexcept>
#include <vector>

#include "core/network.h"
#include "core/openvino_shared.h"
#include "cosyvoice/engine.h"

namespace cosyvoice {
namespace {

constexpr std::size_t kRow = Silero::kContext + Silero::kWindow;
constexpr std::size_t kUnits = 128;
constexpr const char* kRemedy = "; `cosyvoice model fetch-vad` writes the file that is meant";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw Error(ErrorCode::kInvalidModel, file + ": " + why + kRemedy);
}

std::shared_ptr<ov::Model> read(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) {
    throw Error(ErrorCode::kModelNotFound, "vad_model = '" + file + "' is no file" + kRemedy);
  }
  std::shared_ptr<ov::Model> model;
  try {
    model = shared_core().read_model(file);
  } catch (const std::exception& fault) {
    refuse(file, "OpenVINO cannot read Silero's network: " + one_line(fault));
  }
  const auto has = [](const ov::OutputVector& ports, const char* name) {
    return std::any_of(ports.begin(), ports.end(), [&](const auto& port) { return port.get_names().count(name) != 0; });
  };
  if (model->inputs().size() != 2 || model->outputs().size() != 2 || !has(model->inputs(), "input") ||
      !has(model->inputs(), "state") || !has(model->outputs(), "output") || !has(model->outputs(), "stateN")) {
    refuse(file, "expected Silero's inputs 'input' and 'state' and its outputs 'output' and 'stateN', and no others");
  }
  try {
    const ov::Dimension rows(1, static_cast<std::int64_t>(Silero::kMostRows));
    model->reshape({{"input", ov::PartialShape{rows, static_cast<std::int64_t>(kRow)}},
                    {"state", ov::PartialShape{2, rows, static_cast<std::int64_t>(kUnits)}}});
  } catch (const std::exception& fault) {
    refuse(file, "it does not take windows of " + std::to_string(kRow) + " samples: " + one_line(fault));
  }
  return model;
}

}  // namespace

struct Silero::Impl {
  explicit Impl(const std::string& file) {
    const InferenceMark mark;
    const std::shared_ptr<ov::Model> model = read(file);
    try {
      compiled = compile_for_one_thread(model);
      request = compiled.create_infer_request();
    } catch (const std::exception& fault) {
      refuse(file, "OpenVINO cannot compile Silero's network: " + one_line(fault));
    }
    samples.resize(kMostRows * kRow);
    states.resize(2 * kMostRows * kUnits);
  }

  void bind(std::size_t count) {
    rows = 0;  // should anything below throw, the next call binds again
    request.set_tensor("input", ov::Tensor(ov::element::f32, {count, kRow}, samples.data()));
    request.set_tensor("state", ov::Tensor(ov::element::f32, {2, count, kUnits}, states.data()));
    rows = count;
  }

  ov::CompiledModel compiled;
  ov::InferRequest request;
  std::vector<float> samples, states;  // [rows][kRow], [2][rows][kUnits]
  std::size_t rows = 0;                // that the request is bound to
};

Silero::Silero(const std::string& file) : impl_(std::make_unique<Impl>(file)) {}
Silero::~Silero() = default;

bool Silero::run(Row* rows, std::size_t count) noexcept {
  const InferenceMark mark;
  try {
    if (count != impl_->rows) impl_->bind(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(rows[i].samples, kRow, impl_->samples.data() + i * kRow);
      for (std::size_t half = 0; half < 2; ++half) {
        std::copy_n(rows[i].state->data() + half * kUnits, kUnits, impl_->states.data() + (half * count + i) * kUnits);
      }
    }
    impl_->request.infer();
    const ov::Tensor probabilities = impl_->request.get_tensor("output"), next = impl_->request.get_tensor("stateN");
    if (probabilities.get_size() != count || next.get_size() != 2 * count * kUnits) {
      throw std::runtime_error("outputs of another size than the inputs'");
    }
    const auto* advanced = next.data<const float>();
    for (std::size_t i = 0; i < count; ++i) {
      rows[i].probability = probabilities.data<const float>()[i];
      for (std::size_t half = 0; half < 2; ++half) {
        std::copy_n(advanced + (half * count + i) * kUnits, kUnits, rows[i].state->data() + half * kUnits);
      }
    }
    return true;
  } catch (const std::exception&) {
    for (std::size_t i = 0; i < count; ++i) rows[i].probability = 1.0F;
    return false;
  }
}

}  // namespace cosyvoice
