import type { Queries } from '../database/database.ts';
import { type Access, accessOf, type Membership, type Placed, type Target } from '../identity/access.ts';
import { batched } from './batched.ts';

/** Creates a function that finds a member's access to a space or collection. Those of a list page are read together. */
export const accessFinder = (queries: Queries, member: Membership, kind: Target['kind']) =>
  batched<Placed, Access>(async (rows) => {
    const access = await accessOf(
      queries,
      member,
      rows.map((placed) => ({ kind, placed })),
    );
    return () => access;
  });
