import type {
  ImportedContent,
  ImportedDocument,
  ImportedFile,
  ImportedGroup,
  ImportedLink,
  ImportedPage,
  ImportedReference,
} from '../../../server/content/repository/types.ts';
import { DEFAULT_LAYOUT } from '../../../server/content/tree/records.ts';

/** Samples of imported content, with defaults for all other fields. */

const slugOf = (path: string) => (path.split('/').at(-1) ?? path).replace('.md', '').toLowerCase();

export function document(path: string, values: Partial<ImportedDocument> = {}): ImportedDocument {
  return {
    type: 'document',
    key: path,
    title: slugOf(path),
    slug: slugOf(path),
    path: path.replace('.md', ''),
    markdown: `Text of ${path}.`,
    layout: DEFAULT_LAYOUT,
    variables: {},
    hidden: false,
    noIndex: false,
    noRobotsIndex: false,
    git: { oid: `oid of ${path}`, path },
    pages: [],
    ...values,
  };
}

export function group(key: string, pages: ImportedPage[]): ImportedGroup {
  const title = key.replace(/^group:/, '');
  return { type: 'group', key, title, slug: title.toLowerCase(), path: title.toLowerCase(), pages };
}

export function link(key: string, target: ImportedReference): ImportedLink {
  return { type: 'link', key, title: key, target };
}

export function file(path: string, oid: string): ImportedFile {
  return { name: path.split('/').at(-1) ?? path, contentType: 'image/png', size: 5, git: { oid, path } };
}

export function imported(values: Partial<ImportedContent>): ImportedContent {
  return {
    pages: [],
    files: [],
    reusableContents: [],
    redirects: [],
    variables: {},
    samples: [],
    problems: [],
    ...values,
  };
}
