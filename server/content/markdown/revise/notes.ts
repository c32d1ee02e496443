/** Labels of the notes in changed blocks: notes that exist keep their labels and definitions. */
import type { Block } from '../document.ts';
import { type NoteLabel, type PrintOptions, printNote } from '../print/print.ts';
import type { NoteSource } from '../read/definitions.ts';
import type { TextEdit } from './edits.ts';
import type { Identities } from './identities.ts';
import { reviseWords } from './words.ts';

const NOTE_REFERENCE = /\[\^([^\s[\]]{1,999})\](?!:)/g;

/** Assigns labels to the notes of changed blocks. */
export class NoteLabels {
  readonly #identities: Identities;
  readonly #labels = new Map<string, string>();
  /** Notes that only the replaced text refers to, in its order. */
  readonly #freed: NoteSource[] = [];
  readonly #replaced: { note: NoteSource; body: Block[] }[] = [];
  readonly #used: Set<string>;

  /** @param removed the ranges of the text that are replaced */
  constructor(
    text: string,
    notes: readonly NoteSource[],
    removed: readonly { start: number; end: number }[],
    identities: Identities,
  ) {
    this.#identities = identities;
    this.#used = new Set(notes.map(({ label }) => label));
    for (const { label, body } of notes) {
      const id = identities.ofList(body);
      if (!this.#labels.has(id)) {
        this.#labels.set(id, label);
      }
    }
    const retained = new Set<string>();
    const removedLabels = new Set<string>();
    const ranges = [...removed].sort((a, b) => a.start - b.start);
    let next = 0;
    for (const { index, 1: label = '' } of text.matchAll(NOTE_REFERENCE)) {
      while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= index) {
        next++;
      }
      (index >= (ranges[next]?.start ?? Number.POSITIVE_INFINITY) ? removedLabels : retained).add(label);
    }
    const notesByLabel = new Map(notes.map((note) => [note.label, note]));
    for (const label of removedLabels) {
      const note = notesByLabel.get(label);
      if (note && !retained.has(label)) {
        this.#freed.push(note);
      }
    }
  }

  /** Returns the label of a note, and whether its definition exists. */
  readonly labelOf = (body: Block[]): NoteLabel => {
    const id = this.#identities.ofList(body);
    const existing = this.#labels.get(id);
    if (existing !== undefined) {
      const at = this.#freed.findIndex(({ label }) => label === existing);
      if (at >= 0) {
        this.#freed.splice(at, 1);
      }
      return { label: existing, isDefined: true };
    }
    const note = this.#freed.shift();
    if (note) {
      this.#replaced.push({ note, body });
      this.#labels.set(id, note.label);
      return { label: note.label, isDefined: true };
    }
    let number = this.#used.size + 1;
    while (this.#used.has(String(number))) {
      number++;
    }
    this.#used.add(String(number));
    return { label: String(number), isDefined: false };
  };

  /** Returns the label of a note of the current text. */
  readonly currentLabelOf = (body: Block[]): NoteLabel => ({
    label: this.#labels.get(this.#identities.ofList(body)) ?? '',
    isDefined: true,
  });

  /**
   * Returns the edits of definitions, once all changes are printed.
   *
   * @param isByWord whether words of definitions are replaced where possible, instead of whole ones
   */
  edits(text: string, options: PrintOptions, isByWord: boolean): TextEdit[] {
    const replaced = this.#replaced.map(({ note: { label, range, body: current }, body }) => {
      const after = printNote(label, body, options).trimEnd();
      const before = printNote(label, current, { ...options, noteOf: this.currentLabelOf }).trimEnd();
      const written = text.slice(range.start, range.end);
      const revised = isByWord ? reviseWords({ written, before, after }) : undefined;
      return { ...range, text: revised ?? after };
    });
    const removed = this.#freed.map(({ range: { start, end } }) => ({
      start: endBefore(text, start),
      end,
      text: '',
    }));
    return [...replaced, ...removed];
  }
}

/** Returns the end of the text before an offset, without whitespace. */
function endBefore(text: string, offset: number): number {
  let end = offset;
  while (end > 0 && /\s/.test(text.charAt(end - 1))) {
    end--;
  }
  return end;
}
