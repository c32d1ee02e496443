import { sql } from 'kysely';
import { createClient, ok } from '../../../client/platform/index.ts';
import type { Database } from '../../../server/database/database.ts';
import type { Schema } from '../../../server/database/schema.ts';
import { createId } from '../../../server/database/seams.ts';
import { createToken } from '../../../server/identity/tokens.ts';
import { FIRST_NUMBER, fill, idOf, TIME } from './fill-table.ts';
import {
  fillChangeRequests,
  fillComments,
  fillImportRuns,
  fillReviews,
  fillSearch,
  fillSpecs,
  fillTranslations,
} from './large-content.ts';
import { fillIntegrations } from './large-integrations.ts';
import { siteRow, spaceRow } from './large-rows.ts';
import { fillVisited, type VisitedSites } from './large-visited.ts';

/** A user and a token. */
interface Caller {
  id: string;
  token: string;
}

/** An organization with `count` rows of each kind, and the ids of the resources that own them. */
export interface LargeOrganization {
  organizationId: string;
  /** Organization admin. */
  admin: Caller;
  /** Member with the role `read` and a grant for each space and collection. */
  member: Caller;
  /** Guest with a grant for each space, each collection and {@link spaceId}. */
  guest: Caller;
  /** Space with all change requests and comments, and a grant for each user and team. */
  spaceId: string;
  changeRequestId: string;
  commentId: string;
  changeRequestCommentId: string;
  /** Collection with a grant for each user and team. */
  collectionId: string;
  /** Collection of all other spaces. */
  shelfId: string;
  /** Team of all users. */
  teamId: string;
  specSlug: string;
  /** Integration that is installed on each space. */
  integrationName: string;
  installationId: string;
  /** One of the other users, for paths and filters. */
  userId: string;
  /** User who belongs to each team. */
  teammateId: string;
  /** Sites with many spaces, and a space on many sites. */
  visited: VisitedSites;
}

async function createCaller(
  database: Database,
  organization: string,
  name: string,
  role: 'read' | null,
): Promise<Caller> {
  const [id, now] = [createId('usr'), new Date()];
  const createdAt = now.toISOString();
  return await database.transaction(async (trx) => {
    await trx
      .insertInto('users')
      .values({ id, email: `${id.toLowerCase()}@example.com`, displayName: name, photoURL: null, createdAt })
      .execute();
    await trx
      .insertInto('members')
      .values({
        organization,
        user: id,
        role,
        disabled: 0,
        sso: 0,
        joinedAt: createdAt,
        lastSeenAt: createdAt,
      })
      .execute();
    return { id, token: (await createToken(trx, { user: id, label: 'test', now, createId })).token };
  });
}

/**
 * Fills a new organization with `count` rows of each kind. Writes to the database directly, which takes seconds where
 * requests would take hours.
 */
export async function fillOrganization(
  database: Database,
  { url, token, count, secretKey }: { url: string; token: string; count: number; secretKey: string },
): Promise<LargeOrganization> {
  const client = createClient({ baseUrl: url, token });
  const { id: organization } = await ok(client.POST('/v1/orgs', { body: { title: 'Large' } }));
  const admin = { id: (await ok(client.GET('/v1/user'))).id, token };
  const member = await createCaller(database, organization, 'Busy member', 'read');
  const guest = await createCaller(database, organization, 'Busy guest', null);
  const params = { path: { organizationId: organization } };
  const collection = (title: string) =>
    ok(client.POST('/v1/orgs/{organizationId}/collections', { params, body: { title } }));
  const [shared, shelf] = [await collection('Shared'), await collection('Shelf')];
  const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }));
  const changeRequest = await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId: space.id } },
      body: { subject: 'First' },
    }),
  );
  const many = (table: keyof Schema, row: Parameters<typeof fill>[3]) => fill(database, table, count, row);
  const user = idOf('usr');
  const team = idOf('team');

  await many('users', {
    id: user,
    email: sql`'person' || i || '@example.com'`,
    displayName: sql`'Person ' || i`,
    photoURL: null,
    createdAt: TIME,
  });
  await many('members', {
    organization,
    user,
    role: sql`case i % 10 when 0 then null when 1 then 'edit' else 'read' end`,
    disabled: 0,
    sso: 0,
    joinedAt: TIME,
    lastSeenAt: TIME,
  });
  await many('tokens', {
    id: idOf('tok'),
    hash: sql`'hash' || i`,
    user,
    label: 'Export',
    scopes: null,
    createdAt: TIME,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  });
  const teamId = 'team_all';
  const teamRow = { organization, createdAt: TIME, createdBy: null };
  const teammateId = `usr_${FIRST_NUMBER + 2}`;
  const inTeam = { organization, role: 'member', joinedAt: TIME, teamCreatedAt: TIME };
  await many('teams', { ...teamRow, id: team, title: sql`'Team ' || i` });
  await fill(database, 'teams', 1, { ...teamRow, id: teamId, title: 'Everybody' });
  await many('teamMembers', { ...inTeam, team: teamId, user });
  await many('teamMembers', { ...inTeam, team, user: teammateId });
  const position = sql`'V' || i || '1'`;
  await many('collections', {
    id: idOf('col'),
    organization,
    parent: null,
    title: 'Collection',
    description: null,
    defaultLevel: null,
    position,
    createdAt: TIME,
  });
  await many('spaces', {
    ...spaceRow(organization),
    id: idOf('spc'),
    parent: shelf.id,
    title: sql`'Space ' || i`,
    position,
  });
  const grant = { organization, role: 'read', createdAt: TIME };
  for (const [targetKind, target] of [
    ['space', space.id],
    ['collection', shared.id],
  ] as const) {
    await many('grants', { ...grant, targetKind, target, subjectKind: 'user', subject: user });
    await many('grants', { ...grant, targetKind, target, subjectKind: 'team', subject: team });
  }
  for (const { id: subject } of [member, guest]) {
    for (const [targetKind, target] of [
      ['space', idOf('spc')],
      ['collection', idOf('col')],
    ] as const) {
      await many('grants', { ...grant, targetKind, target, subjectKind: 'user', subject });
    }
  }
  await fill(database, 'grants', 1, {
    ...grant,
    targetKind: 'space',
    target: space.id,
    subjectKind: 'user',
    subject: guest.id,
  });
  const link = { organization, createdAt: TIME, createdBy: admin.id };
  await many('linkInvites', {
    ...link,
    id: idOf('inv'),
    role: sql`case i % 2 when 0 then 'read' end`,
    level: sql`case i % 2 when 1 then 'read' end`,
    targetKind: sql`case i % 2 when 1 then 'space' end`,
    target: sql`case i % 2 when 1 then ${idOf('spc')} end`,
  });
  const site = idOf('site');
  await many('sites', {
    ...siteRow(organization),
    id: site,
    title: sql`'Site ' || i`,
    published: sql`case i % 1000 when 0 then 0 else 1 end`,
    defaultSiteSpace: idOf('ssp'),
  });
  await many('siteSpaces', {
    id: idOf('ssp'),
    organization,
    site,
    section: null,
    space: idOf('spc'),
    path: 'space',
    condition: null,
    position,
  });
  await fillSpecs(database, organization, count);
  await fillTranslations(database, { organization, space, count });
  const installation = await fillIntegrations(database, client, { organization, count });
  await fillChangeRequests(database, { organization, space, count });
  await fillComments(database, { organization, space, changeRequest: changeRequest.id, count });
  await fillImportRuns(database, { organization, count });
  await many('siteFeedback', {
    organization,
    id: idOf('fbk'),
    site: 'site_10000001',
    siteSpace: 'ssp_10000001',
    space: space.id,
    page: 'page_1',
    url: 'https://docs.example.com/',
    rating: 'good',
    comment: null,
    createdAt: TIME,
  });
  await fillReviews(database, { organization, space, changeRequest: changeRequest.id, count });
  await many('auditEvents', {
    id: idOf('aud'),
    organization,
    action: 'member.added',
    actor: 'operator',
    token: null,
    resourceType: 'user',
    resource: user,
    details: '{}',
    requestId: null,
    address: '127.0.0.1',
    occurredAt: TIME,
  });
  await many('jobs', {
    id: idOf('job'),
    organization,
    kind: 'bench',
    key: null,
    orderKey: 'bench',
    payload: '{}',
    state: 'done',
    createdAt: TIME,
    runAt: TIME,
    leaseUntil: null,
    leaseOwner: null,
    attempts: 1,
    maxAttempts: 3,
    lastError: null,
    finishedAt: sql`'2099-01-01T00:00:00.000Z'`,
  });
  await fillSearch(database, organization, { count, space: space.id });
  const visited = await fillVisited(database, { organization, count, secretKey });
  return {
    organizationId: organization,
    admin,
    member,
    guest,
    spaceId: space.id,
    changeRequestId: changeRequest.id,
    commentId: `cms_${FIRST_NUMBER}`,
    changeRequestCommentId: `cmc_${FIRST_NUMBER}`,
    collectionId: shared.id,
    shelfId: shelf.id,
    teamId,
    specSlug: `spec-${FIRST_NUMBER}`,
    ...installation,
    userId: `usr_${FIRST_NUMBER + 1}`,
    teammateId,
    visited,
  };
}
