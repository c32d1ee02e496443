import { slugify } from '../../tree/slugs.ts';
import {
  decodePath,
  folderOf,
  isMarkdown,
  type PathIndex,
  type RepositoryFile,
  resolvePath,
} from '../files.ts';
import { problemReporter, type ReportProblem } from '../problems.ts';
import type { Steps } from '../steps.ts';
import { collapse, titleFromName } from '../text.ts';
import type { ContentProblem, ImportedComputedSource, ImportedTarget } from '../types.ts';
import { asText, isMap, MAX_FRONT_MATTER_CHARACTERS, type YamlReader } from '../yaml.ts';
import type { ContentConfiguration } from './configuration.ts';
import type { ExternalFiles } from './external.ts';
import type { SummaryEntry } from './summary.ts';

/** An entry of the page tree with a resolved target; pages are not read yet. */
export type OutlineEntry =
  | { kind: 'page'; title: string; file: RepositoryFile; entries: OutlineEntry[] }
  | { kind: 'group'; title: string; slug: string; entries: OutlineEntry[] }
  | { kind: 'link'; title: string; target: ImportedTarget }
  | { kind: 'computed'; title: string; computed: ImportedComputedSource };

const ADDRESS_PATTERN = /^(?:https?:\/\/|mailto:|tel:)/i;
// URLs with IDs of this service: pages, files, spaces, and references of documents by a keyword.
const STABLE_PATTERN =
  /^(?:\/(?:spaces\/\w+|(?:spaces\/\w+\/)?pages\/\w+(?:#.*)?|files\/\w+)|(?:user|collection|reusable-content|openapi):[\w-]+)$/;
const SCHEME_PATTERN = /^[a-z][a-z0-9+.-]*:/i;
const COMPUTED_TYPE_PATTERN = /^(?:builtin:openapi|builtin:translation|integration:[^:]+:[^:]+)$/;

/** A file that an entry leads to. */
interface EntryFile {
  file: RepositoryFile;
  /** The part of the page; empty if the target ends with `#`. */
  anchor: string | undefined;
}

/**
 * Resolves the targets of a table of contents. Each entry remains: the first one of a page is the page, others are
 * links to it. An entry without a valid target is reported, and becomes a link with its target as written, or a group
 * if it has children. The children of links follow them.
 */
export class SummaryOutline {
  readonly #index: PathIndex;
  readonly #configuration: ContentConfiguration;
  readonly #external: ExternalFiles;
  readonly #summary: string;
  readonly #yaml: YamlReader;
  readonly #report: ReportProblem;
  /** Pages that an entry lists as a whole. */
  readonly #wholePages = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #entryFiles = new Map<string, EntryFile | undefined>();
  readonly #resolved = new Map<SummaryEntry, OutlineEntry>();

  constructor(
    summary: string,
    context: {
      index: PathIndex;
      configuration: ContentConfiguration;
      external: ExternalFiles;
      yaml: YamlReader;
      problems: ContentProblem[];
    },
  ) {
    this.#index = context.index;
    this.#configuration = context.configuration;
    this.#external = context.external;
    this.#summary = summary;
    this.#yaml = context.yaml;
    this.#report = problemReporter(context.problems, summary);
  }

  *build(entries: readonly SummaryEntry[]): Steps<OutlineEntry[]> {
    yield* this.#findWholePages(entries);
    const outline = yield* this.#resolveAll(entries);
    const readme = this.#configuration.readme;
    const first = readme === undefined || this.#listed.has(readme) ? undefined : this.#index.file(readme);
    return first === undefined
      ? outline
      : [{ kind: 'page', title: '', file: first, entries: [] }, ...outline];
  }

  /** Returns what an entry was resolved to; undefined for a computed entry that is invalid. */
  resolved(entry: SummaryEntry): OutlineEntry | undefined {
    return this.#resolved.get(entry);
  }

  *#findWholePages(entries: readonly SummaryEntry[]): Steps<void> {
    for (const { target: written = '', entries: children } of entries) {
      yield;
      const target = written.trim();
      const isPath = target !== '' && !target.startsWith('#') && !isAddress(target);
      const page = isPath ? this.#find(target) : undefined;
      if (page !== undefined && page.anchor === undefined) {
        this.#wholePages.add(page.file.path);
      }
      yield* this.#findWholePages(children);
    }
  }

  *#resolveAll(entries: readonly SummaryEntry[]): Steps<OutlineEntry[]> {
    const outline: OutlineEntry[] = [];
    for (const entry of entries) {
      yield;
      const resolved = this.#resolve(entry);
      const children = yield* this.#resolveAll(entry.entries);
      if (resolved !== undefined) {
        this.#resolved.set(entry, resolved);
        outline.push(resolved);
      }
      const level = resolved !== undefined && 'entries' in resolved ? resolved.entries : outline;
      for (const child of children) {
        level.push(child);
      }
    }
    return outline;
  }

  #resolve(entry: SummaryEntry): OutlineEntry | undefined {
    if (entry.computed !== undefined) {
      return this.#computed(entry, entry.computed);
    }
    const target = entry.target?.trim() ?? '';
    // A lone "#" is a common target of groups.
    if (target === '' || target.startsWith('#')) {
      return groupOf(entry);
    }
    const location = isAddress(target) ? undefined : this.#find(target);
    if (location !== undefined) {
      return isMarkdown(location.file.path)
        ? this.#page(entry, location)
        : linkTo(entry, { kind: 'file', path: location.file.path });
    }
    const url = target.startsWith('//') ? `https:${target}` : target;
    if (isAddress(target) || STABLE_PATTERN.test(target)) {
      return linkTo(entry, { kind: 'url', url });
    }
    if (SCHEME_PATTERN.test(target)) {
      this.#report(
        'unsupported',
        `"${entry.title}" links to an unsupported URL; it became a group. Use an https URL.`,
        entry.line,
      );
      return groupOf(entry);
    }
    const external = this.#external.addressOf(target, this.#summary);
    if (external !== undefined) {
      return linkTo(entry, { kind: 'url', url: external });
    }
    this.#report(
      'not_found',
      `"${entry.title}" links to "${target}", which does not exist in the repository. Correct or remove the entry.`,
      entry.line,
    );
    return entry.entries.length > 0 ? groupOf(entry) : linkTo(entry, { kind: 'url', url: target });
  }

  #page(entry: SummaryEntry, { file, anchor }: EntryFile): OutlineEntry {
    const { path } = file;
    if (!this.#listed.has(path) && (anchor === undefined || !this.#wholePages.has(path))) {
      this.#listed.add(path);
      return { kind: 'page', title: entry.title, file, entries: [] };
    }
    if (anchor === undefined) {
      this.#report(
        'duplicate',
        `"${path}" is listed more than once; this entry became a link to the page. Remove it.`,
        entry.line,
      );
    }
    return linkTo(entry, { kind: 'page', path, ...(anchor && { anchor }) });
  }

  /** Finds the file of a target. Each one is looked up twice. */
  #find(target: string): EntryFile | undefined {
    if (!this.#entryFiles.has(target)) {
      this.#entryFiles.set(target, this.#lookUp(target));
    }
    return this.#entryFiles.get(target);
  }

  #lookUp(target: string): EntryFile | undefined {
    const root = this.#configuration.root;
    // A name may contain a literal percent or hash sign.
    for (const candidate of new Set([decodePath(target), target])) {
      const path = resolvePath(candidate, folderOf(this.#summary), root);
      if (path === undefined) {
        continue;
      }
      const file = this.#index.file(path) ?? this.#index.readme(path) ?? this.#index.file(`${path}.md`);
      if (file !== undefined) {
        const fragment = candidate === target ? undefined : /#(.*)$/s.exec(target)?.[1];
        return { file, anchor: fragment === undefined ? undefined : decodePath(fragment) };
      }
    }
    return undefined;
  }

  #computed(entry: SummaryEntry, text: string): OutlineEntry | undefined {
    try {
      const values = this.#yaml.readMap(text, MAX_FRONT_MATTER_CHARACTERS);
      const type = asText(values.type) ?? '';
      if (!COMPUTED_TYPE_PATTERN.test(type)) {
        throw new Error(`the type "${type}" is not supported; use one such as "builtin:openapi"`);
      }
      const computed = {
        type,
        props: isMap(values.props) ? values.props : {},
        dependencies: readDependencies(values.dependencies),
      };
      const name = asText(computed.dependencies.spec?.ref.spec) ?? type.split(':').at(-1) ?? type;
      const title = collapse(asText(values.title) ?? '') || titleFromName(name);
      return { kind: 'computed', title, computed };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(
        'invalid_syntax',
        `The computed entry was skipped: ${reason}. Correct its YAML.`,
        entry.line,
      );
      return undefined;
    }
  }
}

function isAddress(target: string): boolean {
  return target.startsWith('//') || ADDRESS_PATTERN.test(target);
}

function groupOf({ title: written, anchor }: SummaryEntry): OutlineEntry {
  const title = written === '' ? 'Untitled' : written;
  return { kind: 'group', title, slug: slugify(anchor ?? title), entries: [] };
}

function linkTo({ title }: SummaryEntry, target: ImportedTarget): OutlineEntry {
  return { kind: 'link', title: title || (target.kind === 'url' ? target.url : target.path), target };
}

function readDependencies(value: unknown): ImportedComputedSource['dependencies'] {
  const dependencies: [string, ImportedComputedSource['dependencies'][string]][] = [];
  for (const [name, dependency] of Object.entries(isMap(value) ? value : {})) {
    const ref = isMap(dependency) && isMap(dependency.ref) ? dependency.ref : {};
    if (typeof ref.kind === 'string') {
      dependencies.push([name, { ref: { ...ref, kind: ref.kind } }]);
    }
  }
  return Object.fromEntries(dependencies);
}
