import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { slugify, UniqueNames } from '../../tree/slugs.ts';
import {
  folderOf,
  isReadme,
  MAX_REPOSITORY_TEXT_BYTES,
  type RepositoryFile,
  type RepositoryFiles,
} from '../files.ts';
import { problemReporter, type ReportProblem } from '../problems.ts';
import type { Steps } from '../steps.ts';
import { collapse, decodeText, titleFromName } from '../text.ts';
import type {
  ContentProblem,
  ImportedCover,
  ImportedDocument,
  ImportedPage,
  ImportedReference,
} from '../types.ts';
import type { YamlReader } from '../yaml.ts';
import type { AssetCollector } from './assets.ts';
import { type ContentConfiguration, linksRootOf, topFolderOf } from './configuration.ts';
import type { ExternalFiles } from './external.ts';
import type { PageSettings } from './front-matter.ts';
import { sameTitle, type TitleHeading } from './heading.ts';
import type { FileInclude } from './includes.ts';
import type { OutlineEntry } from './outline.ts';
import { type PageReadings, type PageText, readPageText } from './page-text.ts';

/** Maximum number of pages for guessing the language of a space. */
export const MAX_SAMPLED_PAGES = 200;
const ADDRESS_PATTERN = /^https?:\/\//i;

/**
 * Reads the pages of an outline. The slug of a page comes from its front matter or file name (for a README, from its
 * folder; `readme` at the root), that of a group from its title or anchor. Slugs are unique among siblings; a path
 * consists of the slugs of all ancestors, joined with slashes.
 */
export class PageReader {
  readonly #files: RepositoryFiles;
  readonly #configuration: ContentConfiguration;
  readonly #assets: AssetCollector;
  readonly #external: ExternalFiles;
  readonly #yaml: YamlReader;
  readonly #problems: ContentProblem[];
  readonly #readings: PageReadings | undefined;
  readonly #keys = new UniqueNames();
  #documents = 0;
  /** Titles and samples of the prose of the first pages. */
  readonly samples: string[] = [];
  /** The files that pages include, by the path of the page. */
  readonly includes = new Map<string, readonly FileInclude[]>();

  constructor(context: {
    files: RepositoryFiles;
    configuration: ContentConfiguration;
    assets: AssetCollector;
    external: ExternalFiles;
    yaml: YamlReader;
    problems: ContentProblem[];
    readings?: PageReadings | undefined;
  }) {
    this.#files = context.files;
    this.#configuration = context.configuration;
    this.#assets = context.assets;
    this.#external = context.external;
    this.#yaml = context.yaml;
    this.#problems = context.problems;
    this.#readings = context.readings;
  }

  *readAll(entries: readonly OutlineEntry[], parent = '', slugs = new UniqueNames()): Steps<ImportedPage[]> {
    const pages: ImportedPage[] = [];
    for (const entry of entries) {
      yield;
      for (const page of yield* this.#read(entry, parent, slugs)) {
        pages.push(page);
      }
    }
    return pages;
  }

  *#read(entry: OutlineEntry, parent: string, slugs: UniqueNames): Steps<ImportedPage[]> {
    switch (entry.kind) {
      case 'page':
        return yield* this.#readDocument(entry, parent, slugs);
      case 'group': {
        const slug = slugs.assign(entry.slug);
        const path = join(parent, slug);
        return [
          {
            type: 'group',
            key: this.#keys.assign(`group:${path}`),
            title: entry.title,
            slug,
            path,
            pages: yield* this.readAll(entry.entries, path),
          },
        ];
      }
      case 'link': {
        const { title, target } = entry;
        const anchor = target.kind === 'page' ? target.anchor : undefined;
        const location = target.kind === 'url' ? target.url : target.path + (anchor ? `#${anchor}` : '');
        if (target.kind === 'file') {
          this.#assets.add(target.path);
        }
        return [{ type: 'link', key: this.#keys.assign(`link:${join(parent, location)}`), title, target }];
      }
      case 'computed': {
        const { title, computed } = entry;
        return [
          {
            type: 'computed',
            key: this.#keys.assign(`computed:${join(parent, `${computed.type}/${title}`)}`),
            title,
            computed,
          },
        ];
      }
    }
  }

  *#readDocument(
    { title, file, entries }: Extract<OutlineEntry, { kind: 'page' }>,
    parent: string,
    slugs: UniqueNames,
  ): Steps<ImportedPage[]> {
    const report = problemReporter(this.#problems, file.path);
    // Counts a page without a text too: others would need their samples instead, and be read again.
    const isSampled = this.#documents++ < MAX_SAMPLED_PAGES;
    const text = yield* this.#readPageText(file, isSampled);
    if (text === undefined) {
      report(
        'too_large',
        `The page was skipped: its text exceeds ${MAX_REPOSITORY_TEXT_BYTES} bytes. Split it.`,
      );
      return yield* this.readAll(entries, parent, slugs);
    }
    for (const { reason, message, line } of text.problems) {
      report(reason, message, line);
    }
    const { settings, start } = text;
    const resolvedTitle = resolveTitle(text.heading, title || settings.title, () =>
      this.#fallbackTitle(file),
    );
    const { repeated } = resolvedTitle;
    const readMarkdown = () =>
      this.#external.inText(withoutTitle((this.#readText(file) ?? '').slice(start), repeated), file.path);
    this.includes.set(file.path, text.includes);
    if (isSampled && text.sample !== undefined) {
      this.samples.push(`${title} ${text.sample}`);
    }
    for (const target of text.targets) {
      this.#assets.collect(target, file.path);
      yield;
    }
    const slug = slugs.assign(
      settings.slug ?? slugOfFile(file.path, topFolderOf(this.#configuration, file.path)),
    );
    const path = join(parent, slug);
    const linksRoot = linksRootOf(this.#configuration, file.path);
    return [
      {
        type: 'document',
        key: this.#keys.assign(file.path),
        title: resolvedTitle.title,
        get markdown() {
          return readMarkdown();
        },
        ...this.#reading(file, repeated),
        slug,
        path,
        ...this.#settings(settings, file, report),
        git: { oid: file.oid, path: file.path },
        ...(linksRoot !== undefined && { linksRoot }),
        pages: yield* this.readAll(entries, path),
      },
    ];
  }

  *#readPageText(file: RepositoryFile, isSampled: boolean): Steps<PageText | undefined> {
    const recorded = this.#readings?.get(file.oid);
    if (recorded && (recorded.sample !== undefined || !isSampled)) {
      return recorded;
    }
    const content = this.#files.read(file.path);
    if (content === undefined) {
      return undefined;
    }
    const isDecoded = isUtf8(content);
    const read = yield* readPageText(decodeText(content), { yaml: this.#yaml, isDecoded, isSampled });
    this.#readings?.add(file.oid, read);
    return read;
  }

  #reading({ oid, path }: RepositoryFile, repeated: Range | undefined): Pick<ImportedDocument, 'reading'> {
    if (!this.#readings) {
      return {};
    }
    const variant = `${repeated ? 'untitled' : 'whole'} ${this.#external.variantOf(path)}`;
    return { reading: { variant, hash: this.#readings.hashOf(oid, variant) } };
  }

  #readText(file: RepositoryFile): string | undefined {
    const content = this.#files.read(file.path);
    return content && decodeText(content);
  }

  #settings(
    { title: _title, slug: _slug, cover: coverSettings, ...settings }: PageSettings,
    file: RepositoryFile,
    report: ReportProblem,
  ): Omit<PageSettings, 'title' | 'slug' | 'cover'> & Pick<ImportedDocument, 'cover'> {
    const ref = coverSettings && this.#image(coverSettings.light, file, report);
    if (coverSettings === undefined || ref === undefined) {
      return settings;
    }
    const refDark =
      coverSettings.dark === undefined ? undefined : this.#image(coverSettings.dark, file, report);
    const cover: ImportedCover = { ref, ...(refDark && { refDark }), yPos: coverSettings.yPos };
    return { ...settings, cover };
  }

  #image(target: string, file: RepositoryFile, report: ReportProblem): ImportedReference | undefined {
    if (ADDRESS_PATTERN.test(target)) {
      return { kind: 'url', url: target };
    }
    const asset = this.#assets.collect(target, file.path);
    if (asset !== undefined) {
      return { kind: 'file', path: asset.path };
    }
    report('not_found', `The cover "${target}" does not exist in the repository. Correct the path.`);
    return undefined;
  }

  #fallbackTitle({ path }: RepositoryFile): string {
    const folder = folderOf(path);
    return titleFromName(
      isReadme(path) && folder !== topFolderOf(this.#configuration, path) && folder !== ''
        ? posix.basename(folder)
        : posix.basename(path),
    );
  }
}

/**
 * Returns the slug of a page by its file name; for a README or an index that of its folder, so that the slugs of the
 * indexes of several folders do not depend on each other.
 */
export function slugOfFile(path: string, root: string): string {
  const folder = folderOf(path);
  const name = posix.basename(path).replace(/\.(?:md|markdown)$/i, '');
  const isIndex = isReadme(path) || /^index$/i.test(name);
  return slugify(isIndex && folder !== root && folder !== '' ? posix.basename(folder) : name);
}

/** A range of a text. */
interface Range {
  start: number;
  end: number;
}

/**
 * Resolves the title of a page and the range of a leading heading that repeats it.
 *
 * @param named title in the table of contents or else the front matter: both are deliberate, so a different heading
 *   remains in the text
 * @param fallback title if the text has no heading either
 */
function resolveTitle(
  heading: TitleHeading | undefined,
  named: string | undefined,
  fallback: () => string,
): { title: string; repeated?: Range } {
  const title = collapse(named ?? '') || heading?.text || fallback();
  if (!heading?.leading || !sameTitle(heading.text, title)) {
    return { title };
  }
  return { title, repeated: { start: heading.start, end: heading.end } };
}

/** Returns the text of a page without the heading that repeats its title, and without leading empty lines. */
function withoutTitle(body: string, repeated: Range | undefined): string {
  const markdown = repeated ? withoutRange(body, repeated) : body;
  return markdown.replace(/^(?:[ \t]*\n)+/, '');
}

function withoutRange(text: string, { start, end }: Range): string {
  const before = text.slice(0, start);
  return before.trim() === '' ? text.slice(end) : before + text.slice(end).replace(/^\n+/, '');
}

function join(parent: string, slug: string): string {
  return parent === '' ? slug : `${parent}/${slug}`;
}
