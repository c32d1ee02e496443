import { PathIndex } from '../files.ts';
import type { Steps } from '../steps.ts';
import type { ImportedContent, ImportedPage } from '../types.ts';
import { hasSameContent, hasSamePages } from './compare.ts';
import { isIncludedFile } from './paths.ts';
import { writeSummary } from './summary.ts';
import { differingEntries, updateSummary } from './summary-update.ts';
import { type BookContents, summaryPathsOf } from './tables.ts';
import type { TextContext } from './texts.ts';
import type { ExportedContent } from './types.ts';

/** Maximum number of attempts to edit a table of contents so that it is read as the content. */
const MAX_ATTEMPTS = 3;

/** A table of contents that is being written. */
interface WrittenTable {
  table: BookContents;
  /** The existing text to edit; undefined if it is written anew. */
  existing: string | undefined;
  /** IDs of pages with entries to rewrite. */
  rewritten: Set<string>;
}

/**
 * Adds tables of contents to the draft that are as close as possible to the existing ones and are read as the same
 * content: the existing one, an edited one, or else that of the platform. Folders that already define the tree need
 * none.
 *
 * @param isExisting whether the repository has any files
 * @returns the content of the draft
 */
export function* writeTablesOfContents(
  content: ExportedContent,
  context: TextContext,
  isExisting: boolean,
): Steps<ImportedContent> {
  const { draft, configuration, tables, paths, before, read } = context;
  const compared = withoutIncludedFiles(content, configuration);
  const summaryPaths = summaryPathsOf(tables);
  const isDone = (result: ImportedContent) => hasSameContent(compared, result, paths, summaryPaths);
  const isListed = (table: BookContents, result: ImportedContent) =>
    hasSamePages(table.pages, pagesOf(table, content, result), paths, summaryPaths);
  const retained = isExisting ? yield* read() : undefined;
  const isFaulty = ({ configuration: { summaryPath } }: BookContents) =>
    retained !== undefined && faultsOf(retained, summaryPath) > faultsOf(before, summaryPath);
  if (retained && !tables.some(isFaulty) && (yield* isDone(retained))) {
    return retained;
  }
  const index = new PathIndex([...draft.head.list(), ...draft.list()]);
  let open: WrittenTable[] = [];
  for (const table of tables) {
    const { summary, summaryPath } = table.configuration;
    if (tables.length === 1 || !retained || isFaulty(table) || !(yield* isListed(table, retained))) {
      const existing = draft.texts.get(summaryPath) ?? (summary && draft.textAtHead(summary));
      open.push({ table, existing, rewritten: new Set() });
    }
  }
  let result = retained ?? before;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS + 1 && open.length > 0; attempt += 1) {
    for (const written of open) {
      yield* writeTable(written, context, index);
    }
    result = yield* read();
    if (yield* isDone(result)) {
      return result;
    }
    const remaining: WrittenTable[] = [];
    for (const written of open) {
      const { table, existing, rewritten } = written;
      if (existing === undefined || (tables.length > 1 && (yield* isListed(table, result)))) {
        continue;
      }
      const differing = differingEntries(table.pages, pagesOf(table, content, result), paths);
      if (attempt === MAX_ATTEMPTS || differing === undefined || differing.size === 0) {
        written.existing = undefined;
      }
      for (const id of differing ?? []) {
        rewritten.add(id);
      }
      remaining.push(written);
    }
    open = remaining;
  }
  return result;
}

/** Returns the pages that a table of contents is read as. */
function pagesOf(
  { group }: BookContents,
  { pages }: ExportedContent,
  result: ImportedContent,
): readonly ImportedPage[] {
  if (group === undefined) {
    return result.pages;
  }
  const read = result.pages[pages.findIndex(({ id }) => id === group)];
  return read?.type === 'group' ? read.pages : [];
}

const faultsOf = ({ problems }: ImportedContent, summaryPath: string): number =>
  problems.filter(({ path }) => path === summaryPath).length;

/** Adds a table of contents to the draft: the edited text, or a new one. */
function* writeTable(
  written: WrittenTable,
  { draft, paths, treeURL }: TextContext,
  index: PathIndex,
): Steps<void> {
  const { table, existing, rewritten } = written;
  const { configuration, pages } = table;
  const context = { configuration, index, places: paths, treeURL };
  const edited =
    existing === undefined ? undefined : yield* updateSummary(existing, pages, context, rewritten);
  if (edited === undefined) {
    written.existing = undefined;
  }
  const { summaryPath } = configuration;
  draft.texts.set(summaryPath, edited ?? writeSummary(pages, summaryPath, paths));
}

/** Returns content without the files that pages include where they are: these are never changed. */
const withoutIncludedFiles = (
  content: ExportedContent,
  configuration: TextContext['configuration'],
): ExportedContent => ({
  ...content,
  reusableContents: content.reusableContents.filter(
    ({ git }) => !git || !isIncludedFile(git.path, configuration),
  ),
});
