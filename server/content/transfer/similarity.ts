/** Finds the texts that other texts were made from, by the sentences that they share. */
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';

/** Minimum share of the longer of two texts that both contain, as in Git. */
const MIN_SIMILARITY = 0.5;
/** Maximum number of texts that are compared because of a sentence: more have it in common by chance. */
export const MAX_TEXTS_PER_SENTENCE = 32;

/** A text with a name. */
export interface NamedText {
  key: string;
  /** Texts with the same name, such as a file name or a title, are preferred among equally similar ones. */
  names: readonly string[];
  text: string;
}

/** The number of characters of each sentence of a text, all equal ones together. */
interface Sentences {
  characters: Map<string, number>;
  total: number;
}

/**
 * Returns the original of each text that is at least half equal to one. An original is that of at most one text: the
 * most similar pairs are selected first. The time is linear in the length of the texts.
 *
 * @returns keys of originals by the key of the text
 */
export async function similarTexts(
  originals: readonly NamedText[],
  texts: readonly NamedText[],
): Promise<Map<string, string>> {
  const sentences = new Map<NamedText, Sentences>();
  const originalsBySentence = new Map<string, NamedText[]>();
  for (const original of originals) {
    const counted = sentencesOf(original.text);
    sentences.set(original, counted);
    for (const sentence of counted.characters.keys()) {
      const others = originalsBySentence.get(sentence);
      if (!others) {
        originalsBySentence.set(sentence, [original]);
      } else if (others.length < MAX_TEXTS_PER_SENTENCE) {
        others.push(original);
      }
    }
    await pause();
  }
  const pairs: Array<{ original: NamedText; text: NamedText; similarity: number; names: number }> = [];
  for (const text of texts) {
    const counted = sentencesOf(text.text);
    const common = new Map<NamedText, number>();
    for (const [sentence, characters] of counted.characters) {
      for (const original of originalsBySentence.get(sentence) ?? []) {
        const shared = Math.min(characters, sentences.get(original)?.characters.get(sentence) ?? 0);
        common.set(original, (common.get(original) ?? 0) + shared);
      }
    }
    for (const [original, shared] of common) {
      const similarity = shared / Math.max(counted.total, sentences.get(original)?.total ?? 0);
      if (similarity >= MIN_SIMILARITY) {
        pairs.push({ original, text, similarity, names: sameNames(original, text) });
      }
    }
    await pause();
  }
  pairs.sort((left, right) => right.similarity - left.similarity || right.names - left.names);
  const found = new Map<string, string>();
  const used = new Set<NamedText>();
  for (const { original, text } of pairs) {
    if (!used.has(original) && !found.has(text.key)) {
      used.add(original);
      found.set(text.key, original.key);
    }
  }
  return found;
}

function sentencesOf(text: string): Sentences {
  const characters = new Map<string, number>();
  let total = 0;
  // Paragraphs are often one line, and an edit changes a part of it.
  for (const written of text.split(/[\n.!?。！？]/)) {
    const sentence = written.trim();
    if (sentence !== '') {
      characters.set(sentence, (characters.get(sentence) ?? 0) + sentence.length);
      total += sentence.length;
    }
  }
  return { characters, total };
}

const sameNames = (left: NamedText, right: NamedText): number =>
  left.names.filter((name) => right.names.includes(name)).length;

async function pause(): Promise<void> {
  if (isYieldDue()) {
    await yieldToEventLoop();
  }
}
