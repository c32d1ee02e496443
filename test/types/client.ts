// Checked by `tsc`, never run: the parameters and results of calls, and calls that must not compile.
import {
  type ApiError,
  type CallOptions,
  type Client,
  createClient,
  createOrganization,
  createSpace,
  type deleteSpace,
  type ErrorReason,
  getSpace,
  type ListItem,
  type ListPath,
  listSpaces,
  ok,
  paginate,
  type Schemas,
} from '../../client/platform/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_ extends true>() => {};

export async function reading(client: Client, spaceId: string, cursor: string | undefined) {
  const params = { path: { spaceId } };
  const space = await ok(client.GET('/v1/spaces/{spaceId}', { params }));
  same<Equal<typeof space, Schemas['Space']>>();

  const result = await client.GET('/v1/spaces/{spaceId}', { params });
  if (result.error === undefined) {
    same<Equal<typeof result.data, Schemas['Space']>>();
  } else {
    same<Equal<typeof result.error.reason, ErrorReason | undefined>>();
    same<Equal<typeof result.error.body, Schemas['Error'] | undefined>>();
  }
  // @ts-expect-error: without looking at the error first, there may be no data
  result.data.title;

  // A value that may be undefined is passed unchanged.
  await client.GET('/v1/orgs', { params: { query: { page: cursor, limit: 10 } } });
  // @ts-expect-error: no such path
  await client.GET('/v1/planets');
  // @ts-expect-error: the path has no such method
  await client.PATCH('/v1/orgs');
  // @ts-expect-error: the path needs its value
  await client.GET('/v1/spaces/{spaceId}');
  // @ts-expect-error: the path needs its value by its name
  await client.GET('/v1/spaces/{spaceId}', { params: { path: { id: spaceId } } });
  // @ts-expect-error: no such query parameter
  await client.GET('/v1/orgs', { params: { query: { pages: 'x' } } });
  const withQuery = { path: { organizationId: 'org_acme' }, query: { limit: 10 } };
  // @ts-expect-error: the operation has no query parameters
  await client.GET('/v1/orgs/{organizationId}', { params: withQuery });
  // @ts-expect-error: a query parameter of another type
  await client.GET('/v1/orgs', { params: { query: { limit: 'x' } } });
  // @ts-expect-error: no such option
  await client.GET('/v1/orgs', { querry: {} });
  // @ts-expect-error: a GET has no body
  await client.GET('/v1/orgs', { body: {} });
}

export async function writing(client: Client, organizationId: string, spaceId: string) {
  const params = { path: { organizationId } };
  const created = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 'New' } }),
  );
  same<Equal<typeof created, Schemas['Space']>>();
  const noContent = await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }));
  same<Equal<typeof noContent, undefined>>();
  // @ts-expect-error: a field of another type
  await client.POST('/v1/orgs/{organizationId}/spaces', { params, body: { title: 1 } });
  // @ts-expect-error: no such field
  await client.PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId } }, body: { colour: 'red' } });
}

export async function walking(client: Client, organizationId: string) {
  const params = { path: { organizationId } };
  const listing = paginate(client, '/v1/orgs/{organizationId}/spaces', {
    params,
    signal: AbortSignal.timeout(1),
  });
  for await (const space of listing) {
    same<Equal<typeof space, Schemas['Space']>>();
  }
  for await (const page of listing.pages()) {
    same<Equal<typeof page.count, number | undefined>>();
  }
  same<Equal<ListItem<'/v1/orgs'>, Schemas['Organization']>>();
  same<Equal<Extract<ListPath, '/v1/orgs' | '/v1/spaces/{spaceId}'>, '/v1/orgs'>>();
  // @ts-expect-error: one organization is not a list
  paginate(client, '/v1/orgs/{organizationId}', { params });
  // @ts-expect-error: the path needs its value
  paginate(client, '/v1/orgs/{organizationId}/spaces');
  // @ts-expect-error: no such query parameter
  paginate(client, '/v1/orgs', { params: { query: { offset: 1 } } });
}

export function settings(baseUrl: string, token: string | undefined, signal: AbortSignal | undefined) {
  // Values that may be undefined, such as environment variables, are passed unchanged.
  const client = createClient({
    baseUrl,
    token,
    timeout: undefined,
    retries: { limit: 1, delay: undefined },
  });
  // @ts-expect-error: a client needs the base URL of the service
  createClient({ token });
  return client.GET('/v1/orgs', { signal, retries: undefined });
}

export function switching(error: ApiError): string {
  switch (error.kind) {
    case 'http':
      return `${error.status} ${error.details.map(({ path }) => path)}`;
    case 'network':
    case 'timeout':
    case 'aborted':
    case 'request':
    case 'response':
    case 'hook':
      return error.url;
  }
  // Nothing is left: another kind would be a breaking change for users of the client.
  return error.kind satisfies never;
}

export async function functions(client: Client, organizationId: string, cursor: string | undefined) {
  const space = await getSpace(client, { spaceId: 'spc_1', shareKey: undefined });
  same<Equal<typeof space, Schemas['Space']>>();
  const { items } = await listSpaces(client, { organizationId, page: cursor }, { timeout: 1_000 });
  same<Equal<(typeof items)[number], Schemas['Space']>>();
  same<Equal<Awaited<ReturnType<typeof deleteSpace>>, void>>();
  // The module of functions declares the options itself, so that it depends on no version of the client.
  same<Equal<NonNullable<Parameters<typeof getSpace>[2]>['signal'], CallOptions['signal']>>();
  const options: CallOptions = {} satisfies NonNullable<Parameters<typeof getSpace>[2]>;
  await getSpace(client, { spaceId: 'spc_1' }, options);
  // @ts-expect-error: the input needs the identifier
  await getSpace(client, {});
  // @ts-expect-error: no such parameter
  await getSpace(client, { spaceId: 'spc_1', colour: 'red' });
  // @ts-expect-error: the body is required
  await createOrganization(client);
  // @ts-expect-error: no such field of the body
  await createSpace(client, { organizationId, body: { title: 'New', colour: 'red' } });
}
