// Transcribes a WAV file: one line for each utterance.
//   node transcribe.js MODEL FILE.wav
const { Engine } = require("./cosyvoice");
const { readWav } = require("./wav");

const PACKET = 2048;

async function feed(session, bytes) {
  try {
    for (let at = 0; at < bytes.length; at += PACKET) await session.feed(bytes.subarray(at, at + PACKET));
  } finally {
    session.finish(); // after a fault too, so that listen() comes to an end
  }
}

async function listen(session) {
  for await (const event of session) {
    if (event.type === "error") throw new Error(event.message);
    if (event.type === "final" && event.text) console.log(event.text);
  }
}

async function main(model, path) {
  const { sampleRate, bytes } = readWav(path);
  const engine = new Engine({ model_path: model, max_stream: 1 });
  const session = engine.newSession({ sample_rate: sampleRate });
  const results = await Promise.allSettled([feed(session, bytes), listen(session)]);
  engine.destroy();
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

if (process.argv.length !== 4) {
  console.error("usage: node transcribe.js MODEL FILE.wav");
  process.exitCode = 2;
} else {
  main(...process.argv.slice(2)).catch((fault) => {
    console.error(fault.message);
    process.exitCode = 1;
  });
}
