import { expect } from 'vitest';
import { type ApiError, type Client, ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { QuotaName } from '../../../server/database/schema/quotas.ts';
import { changeQuotas } from '../../../server/quotas/quotas.ts';
import type { TestServer } from '../../support/server.ts';

type Schemas = components['schemas'];

/** Limits by quota, and quotas without one. */
type Limits = Partial<Record<QuotaName, number | 'off' | 'default'>>;

/** An organization of the admin of a server, with quotas of its own. */
export interface LimitedOrganization {
  organizationId: string;
  client: Client;
  /** Path parameters. */
  params: { path: { organizationId: string } };
  /** Changes quotas, as the command of operators does. */
  limit(limits: Limits): Promise<Schemas['OrganizationQuotas']>;
  /** Reads the quotas as the API returns them. */
  read(): Promise<Schemas['OrganizationQuotas']>;
  /** Returns how many of something the organization has. */
  used(quota: QuotaName): Promise<number>;
}

/** Creates an organization with quotas. */
export async function createLimited(server: TestServer, limits: Limits = {}): Promise<LimitedOrganization> {
  const { client } = server.admin;
  const { id } = await ok(client.POST('/v1/orgs', { body: { title: 'Limited' } }));
  return await limitedOrganization(server, id, limits);
}

/** Returns an existing organization with quotas. */
export async function limitedOrganization(
  server: TestServer,
  organizationId: string,
  limits: Limits,
): Promise<LimitedOrganization> {
  const { client } = server.admin;
  const params = { path: { organizationId } };
  const read = () => ok(client.GET('/v1/orgs/{organizationId}/quotas', { params }));
  const limit = async (changed: Limits) => {
    const changes = new Map(Object.entries(changed)) as ReadonlyMap<QuotaName, number | 'off' | 'default'>;
    await server.database.transaction((trx) => changeQuotas(trx, organizationId, changes));
    // The server then enforces them, too.
    return await read();
  };
  await limit(limits);
  return { organizationId, client, params, limit, read, used: async (quota) => (await read())[quota].used };
}

/** A response of the client. */
interface Answer {
  response: Response;
  error?: ApiError | undefined;
}

/** Requires that a request was rejected because it would exceed a quota. */
export async function expectExceeded(
  request: Promise<Answer>,
  quota: Schemas['ExceededQuota'],
): Promise<void> {
  const { response, error } = await request;
  expect(error?.body?.error).toMatchObject({ reason: 'quota_exceeded', quota });
  expect(response.status).toBe(quota.name === 'jobs' ? 429 : 403);
}

/** Returns the statuses of requests that are sent at once, in ascending order. */
export async function statusesOf(requests: Promise<Answer>[]): Promise<number[]> {
  const answers = await Promise.all(requests);
  return answers.map(({ response }) => response.status).sort((a, b) => a - b);
}
