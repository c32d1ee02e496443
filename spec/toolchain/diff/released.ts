import { access } from 'node:fs/promises';
import type { OpenApiDocument } from '../document.ts';
import { type Project, pathIn } from '../project.ts';
import { documentOf, readSource } from '../source.ts';
import { readApprovals } from './approvals.ts';
import { compareSources } from './diff.ts';
import type { Comparison } from './report.ts';

/** Where the last release's contract and the breaks that are meant are kept, relative to the root. */
export function releasedFiles({ released }: Project): { contract: string; approvals: string } {
  return { contract: `${released}/openapi.json`, approvals: `${released}/approvals.yaml` };
}

/**
 * Compares what the contract makes now with the last release; nothing when there was no release yet.
 * @throws when the release or the ledger cannot be read
 */
export async function compareWithReleased(
  project: Project,
  document: OpenApiDocument,
): Promise<Comparison | undefined> {
  const { contract, approvals } = releasedFiles(project);
  if (!(await exists(project, contract))) return undefined;
  const base = await readSource(contract, project.root);
  const ledger = (await exists(project, approvals)) ? await readApprovals(approvals, project.root) : [];
  return compareSources(base, documentOf(project.contract, document), ledger);
}

async function exists(project: Project, path: string): Promise<boolean> {
  return access(pathIn(project, path)).then(
    () => true,
    () => false,
  );
}
