// Programs that an empty project runs or compiles with the package.

/** Calls with the types of the client. */
export const consumer = `
import { ApiError, createClient, ok, paginate, type Schemas } from 'colophon/client';

const client = createClient({ baseUrl: 'https://docs.example.com', token: 'clp_x' });

export async function titles(organizationId: string): Promise<string[]> {
  const found: string[] = [];
  const params = { path: { organizationId } };
  for await (const space of paginate(client, '/v1/orgs/{organizationId}/spaces', { params })) {
    const title: Schemas['Space']['title'] = space.title;
    found.push(title);
  }
  const organization: Schemas['Organization'] = await ok(client.GET('/v1/orgs/{organizationId}', { params }));
  // @ts-expect-error: one organization is not a list
  paginate(client, '/v1/orgs/{organizationId}', { params });
  // @ts-expect-error: there is no such field
  return [organization.colour, ...found];
}

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
`;

/** Settings of a project whose type check fails. */
export const typed = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, types: [] },
  files: ['typed.ts'],
});

/** Calls to the server at the URL of the first argument, with the token of the second. */
export const talk = `
import { ApiError, createClient, ok, paginate } from 'colophon/client';

const [baseUrl, token] = process.argv.slice(2);
const client = createClient({ baseUrl, token });
for await (const organization of paginate(client, '/v1/orgs', { params: { query: { limit: 1 } } })) {
  console.log(organization.title);
}
try {
  await ok(client.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: 'org_none' } } }));
} catch (error) {
  console.log(error instanceof ApiError ? error.kind + ' ' + error.status : error);
}
`;
