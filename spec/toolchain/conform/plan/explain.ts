import type { Resources } from './resources.ts';

/** One row: a parameter, and what feeds it. */
export interface Explained {
  slot: string;
  noun: string;
  /** `createTeam (its path) /id`, the likeliest first; empty where nothing feeds it. */
  fedBy: string[];
}

/** Explains the sources of the path parameters of a contract. */
export function explain(resources: Resources): Explained[] {
  return [...resources.slots.values()].map((slot) => ({
    slot: slot.path,
    noun: slot.noun,
    fedBy: resources
      .producersOf(slot)
      .map(({ operation, way, because, from }) =>
        way === 'choose'
          ? `${operation.id} (id of our choice)`
          : `${operation.id} (${because}) ${from[0] ?? ''}`,
      ),
  }));
}

/** Formats the explanation as text, including the lists and their pagination. */
export function explainAsText(resources: Resources): string {
  const rows = explain(resources);
  const width = Math.max(0, ...rows.map(({ slot }) => slot.length));
  const fed = rows.map(({ slot, noun, fedBy }) => {
    const sources = fedBy.length === 0 ? 'nothing feeds it' : fedBy.slice(0, 3).join(', ');
    return `${slot.padEnd(width)}  ${noun}: ${sources}`;
  });
  const lists = resources.lists.map(({ operation, paging }) => {
    const walked = paging
      ? `by ${paging.style} "${paging.parameter}"${paging.next.length > 0 ? ` from ${paging.next.join(', ')}` : ''}`
      : 'not walked';
    return `${operation.id}: ${walked}`;
  });
  return [...fed, '', ...lists, ''].join('\n');
}
