import type { FilesContext } from '../../../content/store/check-stored-objects.ts';
import { type Check, Findings } from '../../../database/checks/findings.ts';
import { checkIntegrity } from '../../../database/checks/integrity.ts';
import { checkMaintainedColumns } from '../../../database/checks/maintained.ts';
import { checkRowCounts } from '../../../database/checks/row-counts.ts';
import { checkContent } from './content.ts';
import { checkJobs } from './jobs.ts';
import { checkReferences } from './references.ts';
import { checkSearch } from './search.ts';

/** The checks that are independent of each other, in the order of their results. */
const CHECKS: readonly Check[] = [
  checkIntegrity,
  checkReferences,
  checkRowCounts,
  checkMaintainedColumns,
  checkSearch,
  checkJobs,
];

/**
 * Compares the data with each other, also while servers write to them, and repairs what can be derived on request.
 *
 * @returns the findings by the name of the check
 */
export async function examine(context: FilesContext): Promise<Map<string, Findings>> {
  const results = new Map<string, Findings>();
  for (const check of CHECKS) {
    const findings = new Findings();
    results.set(check.name, findings);
    await check.run(context, findings);
  }
  for (const [name, findings] of Object.entries(await checkContent(context))) {
    results.set(name, findings);
  }
  return results;
}
