/**
 * The labels that links and notes refer to: `[label]: address`, `[^label]: note`. Whether brackets are a reference
 * depends on the labels of the whole page. A page is read in windows, so each window reports which labels it defines
 * and which it looked for in vain.
 */
import type { Construct, Extension, TokenizeContext } from 'micromark-util-types';

/** What the parser keeps labels in. Its own is an array that it searches from the start for each reference. */
class Labels extends Array<string> {
  readonly known: Set<string>;
  readonly missed = new Set<string>();

  constructor(known: Iterable<string>) {
    super();
    this.known = new Set(known);
  }

  override includes(label: string): boolean {
    if (this.known.has(label)) return true;
    this.missed.add(label);
    return false;
  }

  override push(...labels: string[]): number {
    for (const label of labels) this.known.add(label);
    return this.known.size;
  }
}

/** The labels of a page, or of a window of one. */
export class PageLabels {
  readonly #links: Labels;
  readonly #notes: Labels;

  constructor(before?: PageLabels) {
    this.#links = new Labels(before ? before.#links.known : []);
    this.#notes = new Labels(before ? before.#notes.known : []);
  }

  /** Whether the parser looked here in vain for a label that the other one has. */
  lacks(other: PageLabels): boolean {
    return lacks(this.#links, other.#links) || lacks(this.#notes, other.#notes);
  }

  add(other: PageLabels): void {
    this.#links.push(...other.#links.known);
    this.#notes.push(...other.#notes.known);
  }

  /** Has the parser keep its labels here. */
  get syntax(): Extension {
    const links = this.#links;
    const notes = this.#notes;
    const setup: Construct = {
      tokenize(this: TokenizeContext, _effects, _ok, nok) {
        this.parser.defined = links;
        // The extension for notes keeps them here.
        (this.parser as { gfmFootnotes?: string[] }).gfmFootnotes = notes;
        return nok;
      },
    };
    // A line that starts with a bracket may define a label: there, before all else that looks at it.
    return { document: { null: setup, [OPEN_BRACKET]: setup } };
  }
}

const OPEN_BRACKET = 91;

function lacks(labels: Labels, others: Labels): boolean {
  for (const label of labels.missed) if (!labels.known.has(label) && others.known.has(label)) return true;
  return false;
}
