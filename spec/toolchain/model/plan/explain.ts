import type { Resources } from './resources.ts';

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

/** Formats the explanation as text, including the lists and their pagination. */
export function explainAsText(resources: Resources): string {
  const rows = explain(resources);
  const width = Math.max(0, ...rows.map(({ slot }) => slot.length));
  const lines = rows.map(({ slot, noun, sources }) => {
    const text = sources.length === 0 ? 'no source' : sources.slice(0, 3).join(', ');
    return `${slot.padEnd(width)}  ${noun}: ${text}`;
  });
  const lists = resources.lists.map(({ operation, paging }) => {
    const pagination = paging
      ? `by ${paging.style} "${paging.parameter}"${paging.next.length > 0 ? ` from ${paging.next.join(', ')}` : ''}`
      : 'without pagination';
    return `${operation.id}: ${pagination}`;
  });
  return [...lines, '', ...lists, ''].join('\n');
}
