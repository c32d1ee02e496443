/** Describes the conflicts of an import for the author of the edits. */
import type { MergeConflict } from '../../../../content/merge/merge.ts';
import type { LoadedFiles } from '../../../../content/repository/files.ts';
import { decodeText } from '../../../../content/repository/text.ts';
import type { ContentProblem } from '../../../../content/repository/types.ts';
import type { MergedImport } from '../../../../content/transfer/import-merge.ts';
import { MAX_RUN_PROBLEMS } from '../../runs/record.ts';

/** A resource with its conflicts. */
export interface ConflictedResource {
  path: string;
  kind: 'page' | 'file' | 'reusable content' | 'variable' | 'content';
  line?: number | undefined;
  parts: string[];
  /** Who deleted what the other side changed; `missing` if there is no common commit. */
  deletion?: { by: 'repository' | 'space' | 'missing'; isRetained: boolean };
}

/**
 * Describes the conflicts of an import, one per resource.
 *
 * @param hasAncestor whether the repository and the space have a commit in common
 */
export async function describeConflicts(
  { conflicts, contents }: MergedImport,
  loaded: LoadedFiles,
  hasAncestor: boolean,
): Promise<ConflictedResource[]> {
  const { theirs, ours } = contents;
  const pages = new Set(conflicts.flatMap(({ page }) => page ?? []));
  const [theirPages, ourPages] = [await theirs.readLocatedPages(pages), await ours.readLocatedPages(pages)];
  const named = new Map<string, string>();
  const theirFiles = await theirs.listFiles();
  for (const { id, name, git } of [...(await ours.listFiles()), ...theirFiles]) {
    named.set(id, git?.path ?? name);
  }
  const theirReusables = await theirs.readReusableContents();
  for (const { id, title, git } of [...(await ours.readReusableContents()), ...theirReusables]) {
    named.set(id, git?.path ?? title);
  }
  const theirVariables = Object.keys(await theirs.readVariables());
  const inRepository = new Set([
    ...theirPages.keys(),
    ...[...theirFiles, ...theirReusables].map((resource) => resource.id),
    ...theirVariables,
  ]);
  const described = new Map<string, ConflictedResource>();
  for (const conflict of conflicts) {
    const { page, file, reusableContent, variable, part, line } = conflict;
    const id = page ?? file ?? reusableContent ?? variable ?? '';
    const located = page === undefined ? undefined : (theirPages.get(page) ?? ourPages.get(page));
    const path = located
      ? (located.record.git?.path ?? located.record.title)
      : (named.get(id) ?? variable ?? 'SUMMARY.md');
    const resource: ConflictedResource = described.get(id) ?? { path, kind: kindOf(conflict), parts: [] };
    resource.parts.push(part);
    if (part === 'deleted') {
      const by = inRepository.has(id) ? 'space' : hasAncestor ? 'repository' : 'missing';
      resource.deletion = { by, isRetained: conflict.isRetained === true };
    }
    const body = page === undefined ? undefined : theirPages.get(page);
    if (line !== undefined && body?.record.git && described.size < MAX_RUN_PROBLEMS) {
      const text = await theirs.readBody(body.record);
      resource.line = line + (await linesBefore(loaded, body.record.git.path, text));
    }
    described.set(id, resource);
  }
  return [...described.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Returns the number of lines of a file above the text of its page. */
async function linesBefore(loaded: LoadedFiles, path: string, text: string): Promise<number> {
  await loaded.load([path]);
  const file = loaded.read(path);
  return file ? Math.max(0, linesOf(decodeText(file)) - linesOf(text)) : 0;
}

const linesOf = (text: string): number => text.split('\n').length;

function kindOf({ page, file, reusableContent, variable }: MergeConflict): ConflictedResource['kind'] {
  const kinds = [
    [page, 'page'],
    [file, 'file'],
    [reusableContent, 'reusable content'],
    [variable, 'variable'],
  ] as const;
  return kinds.find(([id]) => id !== undefined)?.[1] ?? 'content';
}

/** Returns the problems of conflicts, which name the change request with the edits. */
export function conflictProblems(
  resources: readonly ConflictedResource[],
  changeRequest: string,
): ContentProblem[] {
  return resources.map((resource) => {
    const { path, line } = resource;
    const message = messageOf(resource, changeRequest);
    return { path, ...(line !== undefined && { line }), reason: 'conflict', message };
  });
}

function messageOf({ kind, parts, deletion }: ConflictedResource, changeRequest: string): string {
  const held = `The change request ${changeRequest}`;
  const restore = 'Merge it to restore';
  if (!deletion) {
    return (
      `The repository and the space both changed ${parts.map(conflictingPart).join(', ')}, so the import used the version of ` +
      `the repository. ${held} holds that of the space. ${restore} the edits, or archive it to discard them.`
    );
  }
  const { by, isRetained } = deletion;
  if (by === 'missing') {
    return (
      `Only the space has this ${kind}, and it has no commit in common with the repository, whose content replaced ` +
      `that of the space. ${held} holds the ${kind}. ${restore} it, or archive it to discard it.`
    );
  }
  if (by === 'repository') {
    return isRetained
      ? `The repository deleted this ${kind}, but the space changed it or added pages below it, so the import kept it ` +
          'with the edits. Delete it to accept the deletion; otherwise the next export writes it again.'
      : `The repository deleted the file of this ${kind}, which was edited in the space, so the import deleted the ` +
          `${kind}. ${held} holds it with its edits. ${restore} the ${kind}, or archive it to accept the deletion.`;
  }
  return kind === 'page'
    ? `The space deleted this page, but the repository changed its file, so the import restored the page as the ` +
        `repository has it. ${held} deletes it again. Merge it to delete the page, or archive it to keep the page.`
    : `The space deleted this ${kind}, but the repository changed it, so the import restored it as the repository ` +
        'has it. Delete it again if it is no longer needed.';
}

const conflictingPart = (part: string): string =>
  part === 'text' ? 'the same lines' : part === 'parent' ? 'its position' : `"${part}"`;
