// Transcribes a WAV file with the options of a configuration file; COSYVOICE_… variables override them.
//   from_config CONFIG.yaml FILE.wav
#include <cstdio>
#include <exception>

#include "cosyvoice/engine.h"
#include "wav_file.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CONFIG.yaml FILE.wav\n", argv[0]);
    return 2;
  }
  try {
    const WavFile wav = read_wav(argv[2]);
    cosyvoice::Engine engine(cosyvoice::Engine::from_config(argv[1]));
    cosyvoice::SessionOptions session;
    session.sample_rate = wav.sample_rate;
    const cosyvoice::SessionId sid = engine.new_session(session);
    engine.feed_pcm(sid, wav.samples.data(), wav.samples.size());
    engine.finish(sid);
    bool ended = false;
    while (!ended) {
      engine.next_event(
          sid,
          [&ended](const cosyvoice::Event& event) {
            if (event.type == cosyvoice::EventType::kFinal && !event.text.empty()) {
              std::printf("%.*s\n", static_cast<int>(event.text.size()), event.text.data());
            }
            ended = event.ended;
          },
          -1);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
