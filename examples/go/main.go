// Transcribes a WAV file: one line for each utterance.
//
//	transcribe MODEL FILE.wav
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

const packet = 1024

func transcribe(model, path string) error {
	wav, err := readWav(path)
	if err != nil {
		return err
	}
	engine, err := NewEngine(model, 1)
	if err != nil {
		return err
	}
	defer engine.Destroy()
	session, err := engine.NewSession(wav.sampleRate)
	if err != nil {
		return err
	}
	fed := make(chan error, 1)
	go func() { fed <- feed(session, wav.samples) }()
	for {
		line, err := session.Next()
		if err != nil || line == nil {
			return first(<-fed, err)
		}
		var event struct{ Type, Text, Message string }
		if err := json.Unmarshal(line, &event); err != nil {
			return err
		}
		if event.Type == "error" {
			return fmt.Errorf("%s", event.Message)
		}
		if event.Type == "final" && event.Text != "" {
			fmt.Println(event.Text)
		}
	}
}

func feed(session *Session, samples []int16) error {
	defer session.Finish() // after a fault too, so that Next comes to an end
	for len(samples) > 0 {
		size := packet
		if len(samples) < size {
			size = len(samples)
		}
		if err := session.Feed(samples[:size]); err != nil {
			return err
		}
		samples = samples[size:]
	}
	return nil
}

func first(faults ...error) error {
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s MODEL FILE.wav\n", os.Args[0])
		os.Exit(2)
	}
	if err := transcribe(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
