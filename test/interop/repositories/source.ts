/** Reads a repository independently of the server: its files, and the pages that its table of contents lists. */
import { basename, dirname, posix } from 'node:path';
import { git } from '../../support/git/git-files.ts';

/** A documentation repository, as its files say. */
export interface Source {
  name: string;
  /** Folder of the repository. */
  folder: string;
  /** Folder of the documentation in it; empty for the root. */
  directory: string;
  /** Files of the pages in the order of the table of contents, each once; empty without one. */
  listed: string[];
  /** Returns the text of a file. */
  read(path: string): Promise<string>;
}

/** Usual places of the table of contents. */
const SUMMARIES = ['SUMMARY.md', 'docs/SUMMARY.md', 'src/SUMMARY.md'];

/** A line of a table of contents with a link to a file. */
const ENTRY = /^[ \t]*[-*+][ \t]+\[(?:[^\]\\]|\\.)*\]\(<?([^)>#?\s]+)/gm;

/** Reads a repository: a checkout or a bare one. */
export async function readSource(folder: string): Promise<Source> {
  const files = new Set(
    (await git(folder, ['ls-tree', '-r', '-z', '--name-only', 'HEAD'])).split('\0').filter(Boolean),
  );
  const summary = SUMMARIES.find((path) => files.has(path));
  // The programs and settings name these folders themselves.
  const isConfigured = ['.gitbook.yaml', 'book.toml', 'book.json', 'book.js'].some((path) => files.has(path));
  const directory = summary === undefined || isConfigured ? '' : posix.dirname(summary).replace(/^\.$/, '');
  const listed = new Set<string>();
  if (summary !== undefined) {
    const text = await git(folder, ['show', `HEAD:${summary}`]);
    for (const [, target = ''] of text.replace(/<!--[\s\S]*?-->/g, '').matchAll(ENTRY)) {
      const path = posix.join(posix.dirname(summary), decoded(target).replace(/^\//, ''));
      const page = [path, `${path}/README.md`, `${path}.md`].find((file) => files.has(file));
      if (page !== undefined && /\.(?:md|markdown)$/i.test(page)) {
        listed.add(page);
      }
    }
  }
  return {
    name: basename(folder, '.git') || basename(dirname(folder)),
    folder,
    directory,
    listed: [...listed],
    read: (path) => git(folder, ['show', `HEAD:${path}`]),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
