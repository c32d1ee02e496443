/** Time, as the wire and the display of progress need it. */
export interface Clock {
  /** Milliseconds since a fixed point in time; never decreases. */
  now(): number;
  /** Calls once, later; what it returns calls that off. */
  after(milliseconds: number, call: () => void): () => void;
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};
