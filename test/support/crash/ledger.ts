/** A page that a writer asked for. */
export interface WrittenPage {
  title: string;
  text: string;
}

/** A change request of a writer, as far as the answers told. */
export interface Branch {
  id: string;
  spaceId: string;
  /** Those whose writing was acknowledged. */
  pages: WrittenPage[];
  /** Asked for, without an answer: it is there whole, or not at all. */
  unsure: WrittenPage[];
  /** Refused with the promise that nothing was written. */
  refused: WrittenPage[];
  /** `asked`: without an answer, so that it happened or did not. */
  merge: 'no' | 'asked' | 'done';
}

/** What a server acknowledged, and what it was asked for without answering, before something struck it. */
export class Ledger {
  readonly branches: Branch[] = [];
  /** The titles of the teams: all that were asked for, and those that were acknowledged. */
  readonly teams = { asked: new Set<string>(), created: new Set<string>(), refused: new Set<string>() };
  /** How many requests were answered with 503 because the disk is full. */
  full = 0;
  /** The commits of the repository in their order, and how many there were when an import was last acknowledged. */
  readonly commits: string[] = [];
  imported = 0;
  #titles = 0;

  branch(spaceId: string, id: string): Branch {
    const branch: Branch = { id, spaceId, pages: [], unsure: [], refused: [], merge: 'no' };
    this.branches.push(branch);
    return branch;
  }

  /** The branches of a space. */
  of(spaceId: string): Branch[] {
    return this.branches.filter((branch) => branch.spaceId === spaceId);
  }

  /** A page that is like no other. */
  nextPage(): WrittenPage {
    this.#titles += 1;
    return { title: `Page ${this.#titles}`, text: `What page ${this.#titles} says.` };
  }

  /** A team that is like no other. */
  nextTeam(): string {
    const title = `Team ${this.teams.asked.size + 1}`;
    this.teams.asked.add(title);
    return title;
  }
}
