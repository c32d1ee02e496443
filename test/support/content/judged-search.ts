import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../fixtures/search');

/** A documentation that is searched, as the files of a repository. */
export interface JudgedDocumentation {
  name: string;
  language: 'en' | 'de' | 'fr' | 'es' | 'ja';
  files: Record<string, string>;
}

/** A query as users type it, and the title of the page that answers it best. */
export interface JudgedQuery {
  documentation: string;
  query: string;
  best: string;
}

/** Position of the best page in the results of a query, from 1; undefined if it is missing. */
export interface JudgedResult extends JudgedQuery {
  position: number | undefined;
}

const LANGUAGES = { harbor: 'en', hafen: 'de', port: 'fr', puerto: 'es', minato: 'ja' } as const;

/** Reads the documentations. Each is one file: its top-level headings begin pages. */
export function readDocumentations(): JudgedDocumentation[] {
  return Object.entries(LANGUAGES).map(([name, language]) => {
    const pages = readText(`${name}.md`)
      .split(/^(?=# )/m)
      .filter((page) => page !== '');
    const files = pages.map((page, at) => [at === 0 ? 'README.md' : `page-${at}.md`, page] as const);
    const titles = files.map(([file, page]) => `* [${/^# (.*)/.exec(page)?.[1]}](${file})\n`);
    return {
      name,
      language,
      files: { ...Object.fromEntries(files), 'SUMMARY.md': `# Contents\n\n${titles.join('')}` },
    };
  });
}

/** Reads the queries, which were written before their results were known. */
export function readJudgedQueries(): JudgedQuery[] {
  return readText('queries.tsv')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [documentation = '', query = '', best = ''] = line.split('\t');
      return { documentation, query, best };
    });
}

/** Returns the proportion of queries with their best page among the first results. */
export const shareWithin = (results: readonly JudgedResult[], position: number): number =>
  results.filter((result) => (result.position ?? Number.POSITIVE_INFINITY) <= position).length /
  results.length;

const readText = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
