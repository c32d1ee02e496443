/** A page that a writer asked for. */
export interface WrittenPage {
  title: string;
  text: string;
}

/** A change request of a writer, as far as the answers told. */
export interface Branch {
  id: string;
  /** Those whose writing was acknowledged. */
  pages: WrittenPage[];
  /** Asked for, without an answer: it is there whole, or not at all. */
  unsure: WrittenPage[];
  /** `asked`: without an answer, so that it happened or did not. */
  merge: 'no' | 'asked' | 'done';
}

/** What a server acknowledged, and what it was asked for without answering, before it was killed. */
export class Ledger {
  readonly branches: Branch[] = [];
  /** The commits of the repository in their order, and how many there were when an import was last acknowledged. */
  readonly commits: string[] = [];
  imported = 0;
  #titles = 0;

  branch(id: string): Branch {
    const branch: Branch = { id, pages: [], unsure: [], merge: 'no' };
    this.branches.push(branch);
    return branch;
  }

  /** A page that is like no other. */
  nextPage(): WrittenPage {
    this.#titles += 1;
    return { title: `Page ${this.#titles}`, text: `What page ${this.#titles} says.` };
  }
}
