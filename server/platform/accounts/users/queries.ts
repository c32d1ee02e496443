import type { components } from '../../../../generated/schema.d.ts';
import type { Database } from '../../../database/database.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { presentUser } from './present.ts';

type User = components['schemas']['User'];

/** Presents a user by an ID that was read. */
export type UserById = (id: string) => User;

/**
 * Reads users by their IDs. Null is ignored. Returns a function that presents each user, and throws for a missing user.
 */
export async function readUsers(
  { database, resourceUrls }: { database: Pick<Database, 'query'>; resourceUrls: ResourceUrls },
  ids: ReadonlyArray<string | null>,
): Promise<UserById> {
  const distinct = new Set(ids.filter((id) => id !== null));
  const rows = await database.query
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...distinct])
    .execute();
  const users = new Map(rows.map((row) => [row.id, presentUser(row, resourceUrls)]));
  return (id) => {
    const user = users.get(id);
    if (!user) {
      throw new Error(`The user ${id} of a row does not exist.`);
    }
    return user;
  };
}
