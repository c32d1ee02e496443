/** How bad a change is. Breaking: somebody who keeps to the old contract fails. Risky: it depends on what they do. */
export type Level = 'breaking' | 'risky' | 'safe';
/** Who has to do with a change: clients or servers that were written against the base document. */
export type Affects = 'clients' | 'servers' | 'both';
/** Which way values travel: from the client to the server, or back. */
export type Direction = 'request' | 'response';
/** How a set of values changed: less is allowed, more is allowed, or something else. */
export type Shift = 'narrowed' | 'widened' | 'changed';

/** One kind of change, and what there is to say of it. */
export interface Rule {
  level: Level;
  affects: Affects;
  /** Why it breaks, or does not break, whom. */
  why: string;
  /** How to reach the same end compatibly; absent where there is nothing to avoid. */
  mend?: string;
}
