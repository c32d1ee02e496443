import {
  decodePath,
  folderOf,
  isMarkdown,
  type PathIndex,
  type RepositoryFile,
  resolvePath,
} from '../files.ts';
import { problemReporter, type ReportProblem } from '../problems.ts';
import { slugify } from '../slugs.ts';
import type { Steps } from '../steps.ts';
import { titleFromName } from '../text.ts';
import type { ContentProblem, ImportedComputedSource, ImportedReference } from '../types.ts';
import { asText, isMap, MAX_FRONT_MATTER_CHARACTERS, type YamlReader } from '../yaml.ts';
import type { ContentConfiguration } from './configuration.ts';
import type { ExternalFiles } from './external.ts';
import type { SummaryEntry } from './summary.ts';

/** An entry of the page tree with a resolved target; pages are not read yet. */
export type OutlineEntry =
  | { kind: 'page'; title: string; file: RepositoryFile; entries: OutlineEntry[] }
  | { kind: 'group'; title: string; slug: string; entries: OutlineEntry[] }
  | { kind: 'link'; title: string; target: ImportedReference }
  | { kind: 'computed'; title: string; computed: ImportedComputedSource };

const addressPattern = /^(?:https?:\/\/|mailto:|tel:)/i;
// URLs with IDs of this service: pages, files, spaces, and references of documents by a keyword.
const stablePattern =
  /^(?:\/(?:spaces\/\w+|(?:spaces\/\w+\/)?pages\/\w+(?:#.*)?|files\/\w+)|(?:user|collection|reusable-content|openapi):[\w-]+)$/;
const schemePattern = /^[a-z][a-z0-9+.-]*:/i;
const computedTypePattern = /^(?:builtin:openapi|builtin:translation|integration:[^:]+:[^:]+)$/;

/**
 * Resolves the targets of a table of contents. Duplicate pages and entries without a valid target are reported and
 * omitted; their children take their place.
 */
export class SummaryOutline {
  readonly #index: PathIndex;
  readonly #configuration: ContentConfiguration;
  readonly #external: ExternalFiles;
  readonly #summary: string;
  readonly #yaml: YamlReader;
  readonly #report: ReportProblem;
  readonly #listed = new Set<string>();

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
    const outline = yield* this.#resolveAll(entries);
    const readme = this.#configuration.readme;
    const first = readme === undefined || this.#listed.has(readme) ? undefined : this.#index.file(readme);
    return first === undefined
      ? outline
      : [{ kind: 'page', title: '', file: first, entries: [] }, ...outline];
  }

  *#resolveAll(entries: readonly SummaryEntry[]): Steps<OutlineEntry[]> {
    const outline: OutlineEntry[] = [];
    for (const entry of entries) {
      yield;
      for (const resolved of yield* this.#resolve(entry)) {
        outline.push(resolved);
      }
    }
    return outline;
  }

  *#resolve(entry: SummaryEntry): Steps<OutlineEntry[]> {
    if (entry.computed !== undefined) {
      return [...this.#computed(entry, entry.computed), ...(yield* this.#resolveAll(entry.entries))];
    }
    const target = entry.target?.trim() ?? '';
    // A lone "#" is a common target of groups.
    if (target.replace(/^#.*$/s, '') === '') {
      return [yield* this.#group(entry)];
    }
    const isAddress = target.startsWith('//') || addressPattern.test(target);
    const file = isAddress ? undefined : this.#find(target);
    if (file === undefined && stablePattern.test(target)) {
      return [
        { kind: 'link', title: titleOf(entry, target), target: { kind: 'url', url: target } },
        ...(yield* this.#resolveAll(entry.entries)),
      ];
    }
    if (isAddress || (file === undefined && schemePattern.test(target))) {
      return [...this.#link(entry, target), ...(yield* this.#resolveAll(entry.entries))];
    }
    const external = file === undefined ? this.#external.addressOf(target, this.#summary) : undefined;
    if (external !== undefined) {
      return [...this.#link(entry, external), ...(yield* this.#resolveAll(entry.entries))];
    }
    if (file === undefined) {
      this.#report(
        'not_found',
        `"${entry.title}" links to "${target}", which does not exist in the repository. Correct or remove the entry.`,
        entry.line,
      );
      return yield* this.#resolveAll(entry.entries);
    }
    if (!isMarkdown(file.path)) {
      return [
        { kind: 'link', title: titleOf(entry, file.path), target: { kind: 'file', path: file.path } },
        ...(yield* this.#resolveAll(entry.entries)),
      ];
    }
    if (this.#listed.has(file.path)) {
      this.#report(
        'duplicate',
        `"${file.path}" is listed more than once; this entry was ignored. Remove it.`,
        entry.line,
      );
      return yield* this.#resolveAll(entry.entries);
    }
    this.#listed.add(file.path);
    return [{ kind: 'page', title: entry.title, file, entries: yield* this.#resolveAll(entry.entries) }];
  }

  *#group(entry: SummaryEntry): Steps<OutlineEntry> {
    const title = entry.title === '' ? 'Untitled' : entry.title;
    return {
      kind: 'group',
      title,
      slug: slugify(entry.anchor ?? title),
      entries: yield* this.#resolveAll(entry.entries),
    };
  }

  #link(entry: SummaryEntry, target: string): OutlineEntry[] {
    const url = target.startsWith('//') ? `https:${target}` : target;
    if (addressPattern.test(url)) {
      return [{ kind: 'link', title: titleOf(entry, url), target: { kind: 'url', url } }];
    }
    this.#report(
      'unsupported',
      `"${entry.title}" links to an unsupported URL. Use an https URL.`,
      entry.line,
    );
    return [];
  }

  #find(target: string): RepositoryFile | undefined {
    const root = this.#configuration.root;
    // A name may contain a literal percent or hash sign.
    for (const candidate of new Set([decodePath(target), target])) {
      const path = resolvePath(candidate, folderOf(this.#summary), root);
      if (path === undefined) {
        continue;
      }
      const file = this.#index.file(path) ?? this.#index.readme(path) ?? this.#index.file(`${path}.md`);
      if (file !== undefined) {
        return file;
      }
    }
    return undefined;
  }

  #computed(entry: SummaryEntry, text: string): OutlineEntry[] {
    try {
      const values = this.#yaml.readMap(text, MAX_FRONT_MATTER_CHARACTERS);
      const type = asText(values.type) ?? '';
      if (!computedTypePattern.test(type)) {
        throw new Error(`the type "${type}" is not supported; use one such as "builtin:openapi"`);
      }
      const computed = {
        type,
        props: isMap(values.props) ? values.props : {},
        dependencies: readDependencies(values.dependencies),
      };
      const name = asText(computed.dependencies.spec?.ref.spec) ?? type.split(':').at(-1) ?? type;
      return [{ kind: 'computed', title: asText(values.title) ?? titleFromName(name), computed }];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(
        'invalid_syntax',
        `The computed entry was skipped: ${reason}. Correct its YAML.`,
        entry.line,
      );
      return [];
    }
  }
}

function titleOf(entry: SummaryEntry, target: string): string {
  return entry.title === '' ? target : entry.title;
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
