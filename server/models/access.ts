import type { Queries } from '../database/database.ts';
import { type Access, accessOf, type Membership, type Placed, type Target } from '../identity/access.ts';
import { batched } from './batched.ts';

/** Finds the access of a member to the spaces or collections of a page, all at once. */
export const accessFinder = (queries: Queries, member: Membership, kind: Target['kind']) =>
  batched<Placed, Access>(async (rows) => {
    const access = await accessOf(
      queries,
      member,
      rows.map((placed) => ({ kind, placed })),
    );
    return () => access;
  });
