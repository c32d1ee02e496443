// Programs that an empty project runs or compiles with the package.

/** Calls with the types of the client. */
export const consumer = `
import { ApiError, createClient, ok, paginate, type Schemas } from '@colophon/platform-client';

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

/** Settings of a project with a failing type check. */
export const typed = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, types: [] },
  files: ['typed.ts'],
});

/** Calls to the platform at the URL of the first argument, with the token of the second. */
export const talk = `
import { ApiError, createClient, ok, paginate } from '@colophon/platform-client';

const [baseUrl, token] = process.argv.slice(2);
const client = createClient({ baseUrl, token });
const [organization] = await Array.fromAsync(paginate(client, '/v1/orgs'));
console.log(organization.title);

const inOrganization = { params: { path: { organizationId: organization.id } } };
const space = await ok(
  client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body: { title: 'Guide' } }),
);
const inSpace = { params: { path: { spaceId: space.id } } };
await ok(
  client.POST('/v1/spaces/{spaceId}/content/template', { ...inSpace, body: { id: 'tpl_handbook' } }),
);
const { pages } = await ok(client.GET('/v1/spaces/{spaceId}/content/pages', inSpace));
console.log(pages[0].title);

const { id } = await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { ...inSpace, body: {} }));
const path = { spaceId: space.id, changeRequestId: id };
const { url } = await ok(
  client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', { params: { path } }),
);
console.log((await (await fetch(url)).text()).slice(0, 5));

console.log((await fetch(new URL('/docs/operations/listSpaces', baseUrl))).status);
try {
  await ok(client.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: 'org_none' } } }));
} catch (error) {
  console.log(error instanceof ApiError ? error.kind + ' ' + error.status : error);
}
`;

/** A router and a client of any contract, in TypeScript for every kind of module. */
export const runtimes = `
import { createClient } from '@colophon/toolkit/client';
import { createContractRouter } from '@colophon/toolkit/server';

export const router: (request: never, response: never, next: never) => unknown = createContractRouter(null as never);
// @ts-expect-error: a router is not a number, so its type was found
export const wrong: number = createContractRouter(null as never);
export const data: Promise<unknown> = createClient<Record<never, never>>({ baseUrl: 'https://x.example' }).call(
  'GET',
  '/',
  {},
);
`;
