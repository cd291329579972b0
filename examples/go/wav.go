package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

type wavFile struct {
	sampleRate uint32
	samples    []int16
}

// readWav reads 16-bit mono WAV files.
func readWav(path string) (wav wavFile, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return wav, err
	}
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return wav, fmt.Errorf("%s: is no WAV file", path)
	}
	for rest := data[12:]; len(rest) >= 8; {
		tag, size := string(rest[:4]), int(binary.LittleEndian.Uint32(rest[4:]))
		body := rest[8:]
		if size > len(body) {
			return wav, fmt.Errorf("%s: is truncated", path)
		}
		if tag == "fmt " && size >= 16 {
			format, channels, bits := binary.LittleEndian.Uint16(body), binary.LittleEndian.Uint16(body[2:]), binary.LittleEndian.Uint16(body[14:])
			if format != 1 || channels != 1 || bits != 16 {
				return wav, fmt.Errorf("%s: is not 16-bit mono PCM, which this example reads", path)
			}
			wav.sampleRate = binary.LittleEndian.Uint32(body[4:])
		}
		if tag == "data" && wav.sampleRate != 0 {
			wav.samples = make([]int16, size/2)
			return wav, binary.Read(bytes.NewReader(body[:size]), binary.LittleEndian, wav.samples)
		}
		if size += size % 2; size > len(body) {
			break
		}
		rest = body[size:]
	}
	return wav, fmt.Errorf("%s: holds no audio", path)
}
