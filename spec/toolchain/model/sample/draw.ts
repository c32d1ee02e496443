import fc from 'fast-check';

/** A random value, with the values that it shrinks to. */
export interface Drawn<Generated> {
  value: Generated;
  simpler(): Iterable<Drawn<Generated>>;
}

/** An arbitrary with values that contain their shrink state, so that each can be shrunk at any later time. */
class ShrinkableArbitrary<Generated> extends fc.Arbitrary<Drawn<Generated>> {
  readonly #inner: fc.Arbitrary<Generated>;

  constructor(inner: fc.Arbitrary<Generated>) {
    super();
    this.#inner = inner;
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<Drawn<Generated>> {
    return new fc.Value(this.#toDrawn(this.#inner.generate(random, bias)), undefined);
  }

  override canShrinkWithoutContext(_value: unknown): _value is Drawn<Generated> {
    return false;
  }

  override shrink(): fc.Stream<fc.Value<Drawn<Generated>>> {
    return fc.Stream.nil();
  }

  #toDrawn(generated: fc.Value<Generated>): Drawn<Generated> {
    return {
      // Values of arbitraries may be cloned each time they are read.
      value: generated.value,
      simpler: () =>
        this.#inner.shrink(generated.value_, generated.context).map((next) => this.#toDrawn(next)),
    };
  }
}

/** Draws values of an arbitrary. The same seed results in the same values. */
export function draw<Generated>(from: fc.Arbitrary<Generated>, seed: number, count = 1): Drawn<Generated>[] {
  return fc.sample(new ShrinkableArbitrary(from), { seed, numRuns: count });
}

/** Derives a seed from a seed and a name. */
export function seedOf(seed: number, name: string): number {
  let hash = seed | 0;
  for (let at = 0; at < name.length; at += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) ^ (hash >>> 13);
  }
  return hash | 0;
}

/** Maps a draw; skips values with an undefined result. */
export function mapDrawn<From, To>(
  drawn: Drawn<From>,
  make: (value: From) => To | undefined,
): Drawn<To> | undefined {
  const value = make(drawn.value);
  if (value === undefined) {
    return undefined;
  }
  return {
    value,
    *simpler() {
      for (const next of drawn.simpler()) {
        const mapped = mapDrawn(next, make);
        if (mapped) {
          yield mapped;
        }
      }
    },
  };
}

/** Creates a generator of pseudorandom numbers between 0 and 1. */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  // Mulberry32: enough for choices that only have to be spread and repeatable.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
