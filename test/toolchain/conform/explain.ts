import type { Resources } from '../../../spec/toolchain/model/plan/resources.ts';

/** Row of the explanation: a path parameter and the sources of its values. */
export interface Explained {
  slot: string;
  noun: string;
  /** `createTeam (its path) /id`, likeliest first; empty if there is none. */
  sources: string[];
}

/** Explains the sources of the path parameters of a contract. */
export function explain(resources: Resources): Explained[] {
  return [...resources.slots.values()].map((slot) => ({
    slot: slot.path,
    noun: slot.noun,
    sources: resources
      .producersOf(slot)
      .map(({ operation, kind, because, from }) =>
        kind === 'choose'
          ? `${operation.id} (ID selected by the run)`
          : `${operation.id} (${because}) ${from[0] ?? ''}`,
      ),
  }));
}
