import { editsOf } from './copy.ts';
import type { Mutation } from './mutation.ts';

/** Marks before and after the table in the README. */
const TABLE_BEGINS = '<!-- The table: npm run gate -- --table -->';
const TABLE_ENDS = '<!-- The end of the table -->';

/** Returns the mutations and the parts of the gate that catch them, as a Markdown table in the order of the list. */
export function tableOf(mutations: readonly Mutation[]): string {
  const rows = mutations.map((mutation) => {
    const files = [...new Set(editsOf(mutation).map(({ file }) => `\`${file}\``))].join(', ');
    return [mutation.name, mutation.generate ? `${files}, then generate` : files, partsOf(mutation)];
  });
  return [['Mutation', 'Files', 'Caught by'], ['---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Names the parts of a mutation: steps by their names, tests by their files. */
function partsOf({ failures }: Mutation): string {
  const names = failures.map(({ part }) =>
    part.startsWith('test/') ? `\`${part.slice('test/'.length)}\`` : part,
  );
  return [...new Set(names)].join(', ');
}

/** Returns the table between its marks in a text. */
export function tableIn(text: string): string | undefined {
  const [, after] = text.split(TABLE_BEGINS);
  return after?.split(TABLE_ENDS)[0]?.trim();
}
