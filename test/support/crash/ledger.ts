/** A page that was requested. */
export interface RequestedPage {
  title: string;
  text: string;
}

/** A change request as far as the responses report it. */
export interface Branch {
  id: string;
  spaceId: string;
  /** Pages that were acknowledged. */
  pages: RequestedPage[];
  /** Pages without a response: each exists completely or not at all. */
  unconfirmed: RequestedPage[];
  /** Pages that were rejected with the promise that nothing was written. */
  rejected: RequestedPage[];
  /** `requested`: without a response, so that it may or may not have happened. */
  merge: 'no' | 'requested' | 'done';
}

/** Writes that a server acknowledged, and writes without a response, before a fault. */
export class Ledger {
  readonly branches: Branch[] = [];
  /** Titles of teams: requested, acknowledged, and rejected. */
  readonly teams = { requested: new Set<string>(), created: new Set<string>(), rejected: new Set<string>() };
  /** Revisions of the merges that were acknowledged. */
  readonly mergedRevisions = new Set<string>();
  /** Number of responses with 503 because the disk is full. */
  fullDiskResponses = 0;
  /** Commits of the repository in order. */
  readonly commits: string[] = [];
  /** Number of commits at the last acknowledged import. */
  importedCommits = 0;
  #titles = 0;

  branch(spaceId: string, id: string): Branch {
    const branch: Branch = { id, spaceId, pages: [], unconfirmed: [], rejected: [], merge: 'no' };
    this.branches.push(branch);
    return branch;
  }

  /** Returns the branches of a space. */
  of(spaceId: string): Branch[] {
    return this.branches.filter((branch) => branch.spaceId === spaceId);
  }

  /** Returns a unique page. */
  nextPage(): RequestedPage {
    this.#titles += 1;
    return { title: `Page ${this.#titles}`, text: `Text of page ${this.#titles}.` };
  }

  /** Returns the title of a unique team. */
  nextTeam(): string {
    const title = `Team ${this.teams.requested.size + 1}`;
    this.teams.requested.add(title);
    return title;
  }
}
