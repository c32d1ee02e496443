import { checkObjects, checkUnused, referencedContent } from '../../../content/store/check-content.ts';
import { checkFiles } from '../../../content/store/check-files.ts';
import type { FilesContext } from '../../../content/store/check-stored-objects.ts';
import { Findings } from '../../../database/checks/findings.ts';

/** Results of the checks of content, by name. */
export interface ContentFindings {
  revisions: Findings;
  objects: Findings;
  files: Findings;
}

/** Checks the trees of all revisions, the objects and the files, one organization after the other. */
export async function checkContent(context: FilesContext): Promise<ContentFindings> {
  const findings = { revisions: new Findings(), objects: new Findings(), files: new Findings() };
  const organizations = await context.database.query
    .selectFrom('organizations')
    .select('id')
    .orderBy('id')
    .execute();
  for (const { id } of organizations) {
    const referenced = await referencedContent(context, id, findings.revisions);
    await checkObjects(context, id, referenced, findings.objects);
    await checkFiles(context, id, referenced, findings.files);
    await checkUnused(context, id, referenced, findings.objects);
  }
  return findings;
}
