#include "engine/mailbox_record.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cosyvoice {
namespace {

static_assert(std::is_trivially_copyable_v<RecordHead> && std::is_trivially_copyable_v<PackedWord> &&
              std::is_trivially_copyable_v<AlternativeText>);
static_assert(Transcript::kMaxWords <= UINT16_MAX && Transcript::kMaxText <= UINT16_MAX);

std::int32_t relative(std::int64_t time_ms, std::int64_t start_ms) noexcept {
  const std::int64_t difference = time_ms - start_ms;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(difference, std::numeric_limits<std::int32_t>::min(),
                                                            std::numeric_limits<std::int32_t>::max()));
}

bool continues_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t cut_text(std::string_view text) noexcept {
  if (text.size() <= Transcript::kMaxText) return text.size();
  std::size_t size = Transcript::kMaxText;
  for (int back = 0; back < 3 && continues_character(text[size]); ++back) --size;
  return size;
}

}  // namespace

void RecordRing::write(std::uint64_t position, const void* bytes, std::size_t size) const noexcept {
  const std::size_t place = static_cast<std::size_t>(position + shift) & mask;
  const std::size_t first = std::min(size, mask + 1 - place);
  if (first != 0) std::memcpy(base + place, bytes, first);
  if (size != first) std::memcpy(base, static_cast<const std::byte*>(bytes) + first, size - first);
}

void RecordRing::read(std::uint64_t position, void* bytes, std::size_t size) const noexcept {
  const std::size_t place = static_cast<std::size_t>(position + shift) & mask;
  const std::size_t first = std::min(size, mask + 1 - place);
  if (first != 0) std::memcpy(bytes, base + place, first);
  if (size != first) std::memcpy(static_cast<std::byte*>(bytes) + first, base, size - first);
}

RecordHead RecordRing::read_head(std::uint64_t position) const noexcept {
  RecordHead head;
  read(position, &head, sizeof(head));
  return head;
}

RecordHead measure_record(const EventHeader& header, const EventContent& content) noexcept {
  RecordHead head;
  head.header = header;
  const std::size_t text_size = cut_text(content.text);
  const EventWord* const words = content.words;
  std::size_t kept = std::min(content.word_count, Transcript::kMaxWords);
  while (kept != 0 && std::uint64_t{words[kept - 1].text_begin} + words[kept - 1].text_size > text_size) --kept;
  head.text_size = static_cast<std::uint16_t>(text_size);
  head.words = static_cast<std::uint16_t>(kept);
  // Made by Alternatives, which keeps within its limits.
  head.alternatives = static_cast<std::uint16_t>(content.alternative_count);
  head.alternatives_text_size = static_cast<std::uint16_t>(content.alternatives_text.size());
  head.bytes =
      static_cast<std::uint32_t>(round_up(sizeof(head) + kept * sizeof(PackedWord) + text_size +
                                              head.alternatives * sizeof(AlternativeText) + head.alternatives_text_size,
                                          8));
  return head;
}

void write_record(const RecordRing& ring, std::uint64_t position, const RecordHead& head,
                  const EventContent& content) noexcept {
  const EventWord* const words = content.words;
  ring.write(position, &head, sizeof(head));
  position += sizeof(head);
  for (std::size_t i = 0; i < head.words; ++i) {
    PackedWord packed;
    packed.start_ms = relative(words[i].start_ms, head.header.start_ms);
    packed.end_ms = relative(words[i].end_ms, head.header.start_ms);
    packed.confidence = words[i].confidence;
    packed.text_begin = static_cast<std::uint16_t>(words[i].text_begin);
    packed.text_size = static_cast<std::uint16_t>(words[i].text_size);
    ring.write(position, &packed, sizeof(packed));
    position += sizeof(packed);
  }
  const auto append = [&](const void* bytes, std::size_t size) {
    ring.write(position, bytes, size);
    position += size;
  };
  append(content.alternatives, head.alternatives * sizeof(AlternativeText));
  append(content.text.data(), head.text_size);
  append(content.alternatives_text.data(), head.alternatives_text_size);
}

void read_record(const RecordRing& ring, std::uint64_t position, const RecordHead& head, TakenEvent& event) {
  event.words.resize(head.words);
  event.text.resize(head.text_size);
  event.header = head.header;
  position += sizeof(head);
  for (EventWord& word : event.words) {
    PackedWord packed;
    ring.read(position, &packed, sizeof(packed));
    word.start_ms = head.header.start_ms + packed.start_ms;
    word.end_ms = head.header.start_ms + packed.end_ms;
    word.confidence = packed.confidence;
    word.text_begin = packed.text_begin;
    word.text_size = packed.text_size;
    position += sizeof(packed);
  }
  event.alternatives.resize(head.alternatives);
  event.alternatives_text.resize(head.alternatives_text_size);
  const auto take = [&](void* bytes, std::size_t size) {
    ring.read(position, bytes, size);
    position += size;
  };
  take(event.alternatives.data(), head.alternatives * sizeof(AlternativeText));
  take(event.text.data(), head.text_size);
  take(event.alternatives_text.data(), head.alternatives_text_size);
}

}  // namespace cosyvoice
