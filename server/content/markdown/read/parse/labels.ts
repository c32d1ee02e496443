/**
 * Labels of links and notes: `[label]: URL`, `[^label]: note`. Whether brackets are a reference depends on the labels
 * of the whole page. Pages are read in windows, so each window records the labels that it defines, and those that it
 * searched without success.
 */
import type { Construct, Extension, TokenizeContext } from 'micromark-util-types';

/** The labels of the parser. The parser's own array is searched linearly for each reference. */
class Labels extends Array<string> {
  readonly defined: Set<string>;
  readonly missed = new Set<string>();

  constructor(defined: Iterable<string>) {
    super();
    this.defined = new Set(defined);
  }

  override includes(label: string): boolean {
    if (this.defined.has(label)) {
      return true;
    }
    this.missed.add(label);
    return false;
  }

  override push(...labels: string[]): number {
    for (const label of labels) {
      this.defined.add(label);
    }
    return this.defined.size;
  }
}

/** The labels of a page or window. */
export class PageLabels {
  readonly #links: Labels;
  readonly #notes: Labels;

  constructor(before?: PageLabels) {
    this.#links = new Labels(before ? before.#links.defined : []);
    this.#notes = new Labels(before ? before.#notes.defined : []);
  }

  /** Returns whether the parser searched here without success for a label of the other page or window. */
  isUnresolved(other: PageLabels): boolean {
    return isUnresolved(this.#links, other.#links) || isUnresolved(this.#notes, other.#notes);
  }

  add(other: PageLabels): void {
    this.#links.push(...other.#links.defined);
    this.#notes.push(...other.#notes.defined);
  }

  /** Makes the parser store its labels here. */
  get syntax(): Extension {
    const links = this.#links;
    const notes = this.#notes;
    const setup: Construct = {
      tokenize(this: TokenizeContext, _effects, _ok, nok) {
        this.parser.defined = links;
        // Used by the extension for notes.
        (this.parser as { gfmFootnotes?: string[] }).gfmFootnotes = notes;
        return nok;
      },
    };
    // A line that starts with a bracket may define a label, so this precedes all other constructs.
    return { document: { null: setup, [OPEN_BRACKET]: setup } };
  }
}

const OPEN_BRACKET = 91;

function isUnresolved(labels: Labels, others: Labels): boolean {
  for (const label of labels.missed) {
    if (!labels.defined.has(label) && others.defined.has(label)) {
      return true;
    }
  }
  return false;
}
