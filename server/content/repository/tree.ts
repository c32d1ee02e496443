import { posix } from 'node:path';
import { type ContentConfiguration, liesIn, summaryFolder } from './configuration.ts';
import {
  decodePath,
  folderOf,
  isMarkdown,
  isReadme,
  type PathIndex,
  type RepositoryFile,
  resolvePath,
} from './files.ts';
import { SiblingSlugs, slugify } from './slugs.ts';
import type { SummaryEntry } from './summary.ts';
import { titleFromName } from './text.ts';
import type { ContentProblem, ImportedComputed, ImportedDocument, ImportedPage } from './types.ts';
import { asText, isMap, type YamlReader } from './yaml.ts';

/** A page's file read: everything but its place in the tree. */
export type ReadPage = (
  file: RepositoryFile,
  title: string,
) => Omit<ImportedDocument, 'type' | 'key' | 'slug' | 'path' | 'pages'>;

/** An address with a scheme (RFC 3986, section 3.1), or one that starts at a host. */
const addressPattern = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

/** Where an entry of the tree stands. */
interface Place {
  /** The path of the page above; '' at the top. */
  path: string;
  /** The key of the page above; '' at the top. */
  key: string;
}

const TOP: Place = { path: '', key: '' };

/**
 * Turns entries of a table of contents into pages: looks their targets up, leaves out what is listed again
 * or is not there, and gives each page its slug and path.
 */
export class TreeBuilder {
  readonly #configuration: ContentConfiguration;
  readonly #index: PathIndex;
  readonly #yaml: YamlReader;
  readonly #read: ReadPage;
  readonly #problems: ContentProblem[];
  readonly #listed = new Set<string>();
  readonly #keys = new Set<string>();

  constructor(
    configuration: ContentConfiguration,
    sources: { index: PathIndex; yaml: YamlReader; read: ReadPage; problems: ContentProblem[] },
  ) {
    this.#configuration = configuration;
    this.#index = sources.index;
    this.#yaml = sources.yaml;
    this.#read = sources.read;
    this.#problems = sources.problems;
  }

  /** The pages of a table of contents. */
  build(entries: readonly SummaryEntry[]): ImportedPage[] {
    return this.#level(entries, TOP, new SiblingSlugs());
  }

  #level(entries: readonly SummaryEntry[], above: Place, slugs: SiblingSlugs): ImportedPage[] {
    return entries.flatMap((entry) => this.#page(entry, above, slugs));
  }

  /** One page, or in its place the pages below it when it makes none itself. */
  #page(entry: SummaryEntry, above: Place, slugs: SiblingSlugs): ImportedPage[] {
    const below = () => this.#level(entry.entries, above, slugs);
    if (entry.computed !== undefined) {
      const computed = this.#computed(entry, entry.computed, above);
      return computed ? [computed] : below();
    }
    if (entry.target === undefined) return [this.#group(entry, above, slugs)];
    if (addressPattern.test(entry.target)) {
      const link = { kind: 'url', url: entry.target } as const;
      return [this.#link(entry, link, above), ...below()];
    }
    const file = this.#find(entry.target);
    if (!file) {
      this.#report(entry, `links to "${entry.target}", which is not in the repository; it makes no page`);
      return below();
    }
    if (!isMarkdown(file.path))
      return [this.#link(entry, { kind: 'file', path: file.path }, above), ...below()];
    if (this.#listed.has(file.path)) {
      this.#report(entry, `lists "${file.path}" again; the first listing counts`);
      return below();
    }
    this.#listed.add(file.path);
    return [this.#document(entry, file, above, slugs)];
  }

  #document(entry: SummaryEntry, file: RepositoryFile, above: Place, slugs: SiblingSlugs): ImportedPage {
    const slug = slugs.take(slugify(slugSource(file.path, this.#configuration.root)));
    const place = { path: joined(above.path, slug), key: file.path };
    return {
      type: 'document',
      key: file.path,
      slug,
      path: place.path,
      ...this.#read(file, entry.title),
      pages: this.#level(entry.entries, place, new SiblingSlugs()),
    };
  }

  #group(entry: SummaryEntry, above: Place, slugs: SiblingSlugs): ImportedPage {
    const slug = slugs.take(slugify(entry.anchor ?? entry.title));
    const place = { path: joined(above.path, slug), key: this.#key('group', above, entry.title) };
    const pages = this.#level(entry.entries, place, new SiblingSlugs());
    return { type: 'group', key: place.key, title: entry.title, slug, path: place.path, pages };
  }

  #link(
    entry: SummaryEntry,
    target: { kind: 'url'; url: string } | { kind: 'file'; path: string },
    above: Place,
  ) {
    const written = target.kind === 'url' ? target.url : target.path;
    const title = entry.title === '' ? written : entry.title;
    return { type: 'link', key: this.#key('link', above, `${title} ${written}`), title, target } as const;
  }

  #computed(entry: SummaryEntry, source: string, above: Place): ImportedComputed | undefined {
    try {
      const { title, type, props, dependencies } = this.#yaml.readMap(source);
      const computed = {
        type: asText(type) ?? '',
        props: isMap(props) ? props : {},
        // What the dependencies hold is checked where they are taken over into the contract's form.
        dependencies: (isMap(dependencies)
          ? dependencies
          : {}) as ImportedComputed['computed']['dependencies'],
      };
      const name = asText(title) ?? (isMap(props) ? asText(props.title) : undefined) ?? 'Computed';
      return {
        type: 'computed',
        key: this.#key('computed', above, JSON.stringify(computed)),
        title: name,
        computed,
      };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#report(entry, `has YAML that cannot be read: ${why}; it makes no page`);
      return undefined;
    }
  }

  /** The file that a target names: a file, a folder's README, or a page without its extension. */
  #find(target: string): RepositoryFile | undefined {
    const folder = summaryFolder(this.#configuration);
    for (const written of [decodePath(target), target.replace(/#.*$/s, '')]) {
      const path = resolvePath(written, folder, this.#configuration.root);
      if (path === undefined || written === '') continue;
      const file = this.#index.file(path) ?? this.#index.readme(path) ?? this.#index.file(`${path}.md`);
      if (file) return file;
    }
    return undefined;
  }

  /** A key that no other entry has: entries that say the same are told apart by their order. */
  #key(type: string, above: Place, name: string): string {
    const wanted = `${type}:${above.key === '' ? '' : `${above.key}/`}${name}`;
    let key = wanted;
    for (let count = 2; this.#keys.has(key); count += 1) key = `${wanted} ${count}`;
    this.#keys.add(key);
    return key;
  }

  #report(entry: SummaryEntry, what: string): void {
    const path = this.#configuration.summary ?? this.#configuration.root;
    this.#problems.push({ path, message: `"${entry.title}" (line ${entry.line}) ${what}.` });
  }
}

/** What a page's slug is made of: its file's name, or for a README below the top its folder's. */
function slugSource(path: string, root: string): string {
  const folder = folderOf(path);
  if (isReadme(path) && folder !== root) return posix.basename(folder);
  return posix.basename(path).replace(/\.(?:md|markdown)$/i, '');
}

const joined = (above: string, slug: string) => (above === '' ? slug : `${above}/${slug}`);

/**
 * The entries of a repository without a table of contents: its folders, each by its README, or as a group
 * without one; within a folder the README first, then pages and folders by name. Hidden folders stay out.
 */
export function entriesOfFolders(
  files: readonly RepositoryFile[],
  index: PathIndex,
  { root, readme }: ContentConfiguration,
): SummaryEntry[] {
  const pages = files.filter(
    ({ path }) => isMarkdown(path) && liesIn(root, path) && !/(?:^|\/)[._]/.test(path.slice(root.length)),
  );
  const first = readme === undefined ? index.readme(root)?.path : readme;
  const entry = (path: string, title = ''): SummaryEntry => ({
    title,
    target: `/${root === '' ? path : path.slice(root.length + 1)}`,
    line: 1,
    entries: [],
  });
  const within = (folder: string, left: readonly RepositoryFile[]): SummaryEntry[] => {
    const start = folder === '' ? 0 : folder.length + 1;
    const groups = Map.groupBy(left, ({ path }) => path.slice(start).split('/', 1)[0] ?? '');
    const names = [...groups.keys()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    return names.flatMap((name): SummaryEntry[] => {
      const path = folder === '' ? name : `${folder}/${name}`;
      const inside = groups.get(name) ?? [];
      if (inside[0]?.path === path) return path === first || isReadme(path) ? [] : [entry(path)];
      const page = index.readme(path);
      const below = within(path, inside);
      if (page) return [{ ...entry(page.path), entries: below }];
      return below.length === 0 ? [] : [{ title: titleFromName(name), line: 1, entries: below }];
    });
  };
  const rest = within(root, pages);
  return first === undefined ? rest : [entry(first), ...rest];
}
