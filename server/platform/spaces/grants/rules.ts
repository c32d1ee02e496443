import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { notFound } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { Role } from '../../../identity/levels.ts';
import { requireMembers } from '../../accounts/members/queries.ts';
import { requireTeams } from '../../accounts/teams/queries.ts';
import type { Context } from '../../kit/slice.ts';
import { accessFor, type SpaceOrCollection } from '../placements/target.ts';
import { grant, grantEvent, isGrant, type Subject } from './queries.ts';

/** A user or a team, and the space or collection that they have a grant on. */
export interface GrantName {
  target: SpaceOrCollection;
  subject: Subject;
}

/**
 * Grants members and teams of the organization a level on a space or collection, replacing their previous grants.
 *
 * @throws ContractError 400 for the first user or team that is not in the organization
 */
export async function createGrants(
  trx: Transaction,
  { caller, audit, clock }: Context,
  {
    target,
    role,
    users = [],
    teams = [],
  }: { target: SpaceOrCollection } & components['schemas']['GrantsCreate'],
): Promise<void> {
  const { organization } = await accessFor(trx, caller.id, target, 'admin');
  await requireMembers(trx, organization, users, 'users');
  await requireTeams(trx, organization, teams, (index) => `teams.${index}`);
  const subjects = [
    ...users.map((id): Subject => ({ kind: 'user', id })),
    ...teams.map((id): Subject => ({ kind: 'team', id })),
  ];
  for (const subject of subjects) {
    await grant(trx, audit, { organization, target, subject, role, now: clock() });
  }
}

/**
 * Updates the grant of a user or a team.
 *
 * @param change without a role, the grant is unchanged
 * @throws ContractError 404 if there is no grant
 */
export async function updateGrant(
  trx: Transaction,
  { caller, audit }: Context,
  { target, subject, role }: GrantName & { role: Role | undefined },
): Promise<void> {
  const { organization } = await accessFor(trx, caller.id, target, 'admin');
  const before = await trx
    .selectFrom('grants')
    .select('role')
    .where(isGrant(target, subject))
    .executeTakeFirst();
  if (!before) {
    throw notFound('grant');
  }
  if (role === undefined || role === before.role) {
    return;
  }
  await trx.updateTable('grants').set({ role }).where(isGrant(target, subject)).execute();
  await audit(trx, grantEvent(organization, target, subject, before.role, role));
}

/** Deletes the grant of a user or a team. */
export async function deleteGrant(
  trx: Transaction,
  { caller, audit }: Context,
  { target, subject }: GrantName,
): Promise<void> {
  const access = await unlessNotFound(accessFor(trx, caller.id, target, 'admin'));
  if (!access) {
    return;
  }
  const deleted = await trx
    .deleteFrom('grants')
    .where(isGrant(target, subject))
    .returning('role')
    .executeTakeFirst();
  if (deleted) {
    await audit(trx, grantEvent(access.organization, target, subject, deleted.role, undefined));
  }
}
