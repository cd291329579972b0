const { readFileSync } = require("node:fs");

// Reads 16-bit mono WAV files: { sampleRate, bytes }.
function readWav(path) {
  const file = readFileSync(path);
  const tag = (at) => file.toString("latin1", at, at + 4);
  if (tag(0) !== "RIFF" || tag(8) !== "WAVE") throw new Error(`${path}: is no WAV file`);
  let sampleRate = 0;
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    const body = file.subarray(at + 8, at + 8 + size);
    if (body.length < size) throw new Error(`${path}: is truncated`);
    if (tag(at) === "fmt " && size >= 16) {
      if (body.readUInt16LE(0) !== 1 || body.readUInt16LE(2) !== 1 || body.readUInt16LE(14) !== 16) {
        throw new Error(`${path}: is not 16-bit mono PCM, which this example reads`);
      }
      sampleRate = body.readUInt32LE(4);
    }
    if (tag(at) === "data" && sampleRate !== 0) return { sampleRate, bytes: body };
    at += 8 + size + (size % 2);
  }
  throw new Error(`${path}: holds no audio`);
}

module.exports = { readWav };
