import { batched } from '../../database/batched.ts';
import type { Queries } from '../../database/database.ts';
import { type Access, type AccessResource, type AccessTargets, loadAccess } from '../../identity/access.ts';
import type { Membership } from '../../identity/membership.ts';

/** Creates a function that finds a member's access to a space or collection. Those of a list page are read together. */
export const accessFinder = (queries: Queries, member: Membership, kind: AccessTargets['kind']) =>
  batched<AccessResource, Access>(async (resources) => {
    const access = await loadAccess(queries, member, { kind, resources });
    return () => access;
  });
