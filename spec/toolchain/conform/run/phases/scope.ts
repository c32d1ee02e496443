/** Operations and callers to test. */
export interface Scope {
  /** By `Operation.id`. */
  tested: ReadonlySet<string>;
  secondToken: boolean;
  signal: AbortSignal;
}
