/** Severity of a change. Breaking: clients or servers of the base contract fail. Risky: they may fail. */
export type Level = 'breaking' | 'risky' | 'safe';
/** Parties affected by a change: clients or servers of the base document. */
export type Affects = 'clients' | 'servers' | 'both';
/** Direction of values: from the client to the server, or back. */
export type Direction = 'request' | 'response';
/** Change of a set of values: fewer are allowed, more are allowed, or others. */
export type Shift = 'narrowed' | 'widened' | 'changed';

/** Classification of a kind of change. */
export interface Rule {
  level: Level;
  affects: Affects;
  /** Effect on clients and servers. */
  why: string;
  /** Compatible way to the same goal; omitted for safe changes. */
  alternative?: string;
}
