import { access } from 'node:fs/promises';
import type { OpenApiDocument } from '../document.ts';
import { type Project, pathIn, releasedFiles } from '../project.ts';
import { documentOf, readSource } from '../source.ts';
import { readApprovals } from './approvals.ts';
import type { Comparison } from './comparison.ts';
import { compareSources } from './diff.ts';

/**
 * Compares the current contract with the last release. Returns `undefined` if there is no release.
 * @throws if the release or the approvals are unreadable
 */
export async function compareWithReleased(
  project: Project,
  document: OpenApiDocument,
): Promise<Comparison | undefined> {
  const { contract, approvals } = releasedFiles(project);
  if (!(await exists(project, contract))) {
    return undefined;
  }
  const base = await readSource(contract, project.root);
  const entries = (await exists(project, approvals)) ? await readApprovals(approvals, project.root) : [];
  return compareSources(base, documentOf(project.contract, document), entries);
}

async function exists(project: Project, path: string): Promise<boolean> {
  return access(pathIn(project, path)).then(
    () => true,
    () => false,
  );
}
