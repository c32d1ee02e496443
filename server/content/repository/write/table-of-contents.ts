import { PathIndex } from '../files.ts';
import type { Steps } from '../steps.ts';
import type { ImportedContent } from '../types.ts';
import { hasSameContent } from './compare.ts';
import { isIncludedFile } from './paths.ts';
import { writeSummary } from './summary.ts';
import { differingEntries, updateSummary } from './summary-update.ts';
import type { TextContext } from './texts.ts';
import type { ExportedContent } from './types.ts';

/** Maximum number of attempts to edit a table of contents so that it is read as the content. */
const MAX_ATTEMPTS = 3;

/**
 * Adds a table of contents to the draft that is as close as possible to the existing one and is read as the same
 * content: the existing one, an edited one, or else that of the platform. Folders that already define the tree need
 * none.
 *
 * @param isExisting whether the repository has any files
 * @returns the content of the draft
 */
export function* writeTableOfContents(
  content: ExportedContent,
  context: TextContext,
  isExisting: boolean,
): Steps<ImportedContent> {
  const { draft, configuration, paths, before, read } = context;
  const { summary, summaryPath } = configuration;
  const existing = draft.texts.get(summaryPath) ?? (summary && draft.textAtHead(summary));
  if (isExisting) {
    const retained = yield* read();
    const faults = ({ problems }: ImportedContent) =>
      problems.filter(({ path }) => path === summaryPath).length;
    if (
      faults(retained) <= faults(before) &&
      (yield* hasSameContent(withoutIncludedFiles(content, configuration), retained, paths, summaryPath))
    ) {
      return retained;
    }
  }
  if (existing !== undefined) {
    const edited = yield* editInAttempts(existing, content, context);
    if (edited !== undefined) {
      return edited;
    }
  }
  draft.texts.set(summaryPath, writeSummary(content.pages, summaryPath, paths));
  return yield* read();
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

/** Edits the table of contents. Entries that are then read differently are written anew. */
function* editInAttempts(
  existing: string,
  content: ExportedContent,
  { draft, configuration, paths, treeURL, read }: TextContext,
): Steps<ImportedContent | undefined> {
  const files = [...draft.head.list(), ...draft.list()];
  const context = { configuration, index: new PathIndex(files), places: paths, treeURL };
  const rewritten = new Set<string>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const edited = yield* updateSummary(existing, content.pages, context, rewritten);
    if (edited === undefined) {
      return undefined;
    }
    draft.texts.set(configuration.summaryPath, edited);
    const result = yield* read();
    if (
      yield* hasSameContent(
        withoutIncludedFiles(content, configuration),
        result,
        paths,
        configuration.summaryPath,
      )
    ) {
      return result;
    }
    const differing = differingEntries(content.pages, result.pages, paths);
    if (differing === undefined || differing.size === 0) {
      return undefined;
    }
    for (const id of differing) {
      rewritten.add(id);
    }
  }
  return undefined;
}
