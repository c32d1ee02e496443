import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../../generated/operations.ts';
import { exportOrganization } from '../../../server/platform/transfers/export/export.ts';
import {
  EXPORTED_OPERATIONS,
  type ExportedResource,
  exportedResources,
  type ReadOperation,
} from '../../../server/platform/transfers/export/resources.ts';
import { RESOURCES_PATH } from '../../../server/platform/transfers/folder/paths.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath } from '../../support/http/requests.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { fillOrganization } from '../../support/transfers/full-organization.ts';
import { openReaderWith } from '../../support/transfers/open-reader.ts';
import { userRow } from '../database/rows.ts';

// The resources of an export are what an admin of the organization receives from the API.

/** Parts of the paths of operations that are not exported, and single operations, by the reason. */
const NOT_EXPORTED: Readonly<Record<string, readonly RegExp[]>> = {
  'Content is exported as repositories, with its history.': [
    /\/content(?!\/import)/,
    /^\/v1\/spaces\/\{spaceId\}\/revisions\//,
    /\/(?:links|changes|pdf)$/,
  ],
  'It is an item of an exported list.': [
    /\/\{(?:userId|teamId|organizationFileId|specSlug|versionId|samlProviderId|siteId|siteRedirectId|translationId|changeRequestId|commentId|commentReplyId|reviewId|importRunId|runId|spaceId|collectionId)\}$/,
  ],
  'It follows from exported resources.': [
    /\/members\/\{userId\}\/(?:spaces|teams)$/,
    /\/collections\/\{collectionId\}\/spaces$/,
    /\/(?:commenters|quotas|search|space-map|sso|structure|published|redirect|template-conditions)$/,
    /\/versions\/latest/,
    /^\/v1\/org\/\{organizationId\}\/imports/,
  ],
  'It contains or creates secrets.': [/\/(?:link-invites|share-links|tokens|auth|audit-events)(?:$|\/)/],
  'The organization does not own it.': [
    /^\/v1\/(?:orgs|user|email-domains\/\{emailDomain\}\/orgs|subdomains\/\{subdomain\})$/,
  ],
  'Configurations contain secrets; integrations are shared.': [/^\/v1\/integrations/],
};

let server: TestServer;
let git: GitServer;
let folder: string;
let lines: ExportedResource[];

beforeAll(async () => {
  [git, server] = await Promise.all([startGitServer(), startTestServer()]);
  await fillOrganization(server, git);
  await addDisabledAdmin();
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-exports-'));
  lines = await exportWith({ COLOPHON_PUBLIC_URL: server.url });
});
afterAll(() => Promise.all([git.close(), server.stop(), rm(folder, { recursive: true })]));

/** Exports the organization with variables of the command. Returns its resources. */
async function exportWith(variables: NodeJS.ProcessEnv): Promise<ExportedResource[]> {
  const target = join(folder, randomUUID());
  await exportOrganization(target, {
    location: server.location,
    objectStorage: undefined,
    organization: server.organization,
    release: '1.0.0',
    publicURL: variables.COLOPHON_PUBLIC_URL,
    now: new Date(),
    openReader: openReaderWith(variables),
  });
  const text = await readFile(join(target, RESOURCES_PATH), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line): ExportedResource => JSON.parse(line));
}

/** Adds an admin who may not use the organization, and who is the first one by ID. */
async function addDisabledAdmin(): Promise<void> {
  const user = userRow('usr_00000000000000000000');
  const member = { user: user.id, role: 'admin' as const, disabled: 1 as const, sso: 0 as const };
  await server.database.transaction(async (trx) => {
    await trx.insertInto('users').values(user).execute();
    await trx
      .insertInto('members')
      .values({ ...member, organization: server.organization, joinedAt: user.createdAt, lastSeenAt: null })
      .execute();
  });
}

/** Requests the resource of an operation, or all items of its list. */
async function received(
  operation: keyof typeof operations,
  path: Record<string, string>,
): Promise<unknown[]> {
  const queries =
    operation === 'listChangeRequests'
      ? ['draft', 'open', 'archived', 'merged'].map((status) => `&status=${status}`)
      : [''];
  const bodies = await Promise.all(
    queries.map(async (query) => {
      const { list, path: template } = operations[operation];
      const url = `${server.url}${fillPath(template, path)}${list ? `?limit=1000${query}` : ''}`;
      const response = await fetch(url, { headers: { Authorization: `Bearer ${server.admin.token}` } });
      return await response.json();
    }),
  );
  return bodies.flatMap((body) => body.items ?? [body]);
}

const comparable = (values: readonly unknown[]): string[] =>
  values.map((value) => JSON.stringify(value).replaceAll(/signature=[\w-]+/g, 'signature='));

test.each(EXPORTED_OPERATIONS)('%s', async (operation) => {
  const exported = Map.groupBy(
    lines.filter((line) => line.operation === operation),
    ({ path }) => JSON.stringify(path),
  );
  expect(exported.size).toBeGreaterThan(0);
  for (const [path, resources] of exported) {
    const expected = await received(operation, JSON.parse(path));
    expect(comparable(resources.map(({ resource }) => resource))).toEqual(comparable(expected));
  }
});

test('without a public URL, URLs begin with the address of the server', async () => {
  const [organization] = await exportWith({ HOST: '::1', PORT: '8080' });
  expect(organization).toMatchObject({
    operation: 'getOrganization',
    resource: { urls: { location: expect.stringMatching(/^http:\/\/\[::1\]:8080\//) } },
  });
});

test('all pages of a list are exported', async () => {
  const read: ReadOperation = async (operation, _path, query) => {
    const page = 'page' in query ? query.page : undefined;
    if (operation !== 'listMembers') {
      return operations[operation].list ? { items: [] } : {};
    }
    return page === undefined ? { items: ['first'], next: { page: 'next' } } : { items: [`of ${page}`] };
  };
  const exported = await Array.fromAsync(exportedResources(read, 'org_a'));
  const members = exported.filter(({ operation }) => operation === 'listMembers');
  expect(members.map(({ resource }) => resource)).toEqual(['first', 'of next']);
});

test('every other operation that reads has a reason not to be exported', () => {
  const reasons = Object.values(NOT_EXPORTED).flat();
  const used = new Set<RegExp>();
  const unexplained = Object.entries(operations).filter(([id, { method, path }]) => {
    if (method !== 'get' || EXPORTED_OPERATIONS.some((exported) => exported === id)) {
      return false;
    }
    const reason = reasons.find((part) => part.test(path));
    if (reason) {
      used.add(reason);
    }
    return !reason;
  });
  expect(unexplained.map(([id]) => id)).toEqual([]);
  expect(reasons.filter((reason) => !used.has(reason))).toEqual([]);
});
