// Transcribes a WAV file: one line for each utterance.
//   transcribe_wav MODEL_DIRECTORY FILE.wav
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "cosyvoice/engine.h"
#include "wav_file.h"

namespace {

constexpr std::size_t kPacket = 1024;

int transcribe(const std::string& model, const std::string& path) {
  const WavFile wav = read_wav(path);

  cosyvoice::EngineOptions options;
  options.model_path = model;
  options.max_stream = 1;
  cosyvoice::Engine engine(options);
  bool failed = false;
  engine.register_callback(
      {},
      [](const cosyvoice::Event& event) {
        if (!event.text.empty()) std::printf("%.*s\n", static_cast<int>(event.text.size()), event.text.data());
      },
      [&failed](const cosyvoice::Event& event) {
        if (event.type != cosyvoice::EventType::kError) return;
        std::fprintf(stderr, "%.*s\n", static_cast<int>(event.text.size()), event.text.data());
        failed = true;
      });

  cosyvoice::SessionOptions session;
  session.sample_rate = wav.sample_rate;
  const cosyvoice::SessionId sid = engine.new_session(session);
  for (std::size_t at = 0; at < wav.samples.size(); at += kPacket) {
    engine.feed_pcm(sid, &wav.samples[at], std::min(kPacket, wav.samples.size() - at));
  }
  engine.finish(sid);
  engine.close();  // what was fed is finished, and every callback has run
  return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODEL_DIRECTORY FILE.wav\n", argv[0]);
    return 2;
  }
  try {
    return transcribe(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
