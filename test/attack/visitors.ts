import { ok } from '../../client/platform/index.ts';
import { MAX_QUERY_PARAMETERS } from '../../server/contract/request/paths/target.ts';
import { MAX_FORM_FIELDS } from '../../server/platform/kit/routes/receive-form.ts';
import { publishSite, type TestResources } from '../support/resources.ts';
import { signVisitorToken } from '../support/sites/visited-sites.ts';
import { type Attack, type AttackClass, SECRET, sendAs, type Target } from './target.ts';

/** What a request presents instead of a valid credential. */
interface Credential {
  query?: string;
  headers?: Record<string, string>;
}

/** Path of a published site on the server. */
async function publishedPath(resources: TestResources): Promise<string> {
  await publishSite(resources);
  const path = { organizationId: resources.organization, siteId: await resources.idFor('siteId') };
  const site = await ok(
    resources.owner.client.GET('/v1/orgs/{organizationId}/sites/{siteId}', { params: { path } }),
  );
  return new URL(site.urls.published ?? '').pathname;
}

/** Credentials that are valid for the attacker's site, or for none. */
async function forgedCredentials({ own, attacker }: Target): Promise<Record<string, Credential>> {
  await publishSite(own);
  const path = { organizationId: own.organization, siteId: await own.idFor('siteId') };
  const { client } = own.owner;
  const link = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', {
      params: { path },
      body: { name: 'Attack' },
    }),
  );
  const shareKey = new URL(link.urls.published ?? '').searchParams.get('shareKey') ?? '';
  const { privateKey } = await ok(
    client.GET('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', { params: { path } }),
  );
  const token = await signVisitorToken(privateKey, { member: true, admin: true });
  const [, payload] = token.split('.');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
  return {
    'no credential': {},
    'the share key of another site': { query: `shareKey=${shareKey}` },
    'the share key of another site in a cookie': { headers: { cookie: `colophon-share-key=${shareKey}` } },
    'an empty share key': { query: 'shareKey=' },
    'several share keys': { query: `shareKey=${shareKey}&shareKey[]=a&shareKey=` },
    'the token of another site': { query: `visitorToken=${token}` },
    'the token of another site in a header': { headers: { authorization: `Bearer ${token}` } },
    'an unsigned token': { query: `jwt_token=${unsigned}` },
    'an access token of another organization': { headers: { authorization: `Bearer ${attacker.token}` } },
    'claims of an admin': { query: 'visitor.admin=true&visitor.member=true&visitor.__proto__=true' },
    'claims in a cookie': { headers: { cookie: 'colophon-visitor-claims={"__proto__":true,"member":true}' } },
    'a made-up session': { headers: { cookie: `colophon_session=${'a'.repeat(43)}` } },
    'another host': { headers: { host: 'victim.sites.test', 'x-forwarded-host': 'victim.sites.test' } },
    'too many parameters': { query: 'visitor.a=true&'.repeat(MAX_QUERY_PARAMETERS + 1) },
    'long headers': { headers: { 'accept-language': 'a,'.repeat(20_000), cookie: 'a=b;'.repeat(10_000) } },
  };
}

/** Notations of a path that a guard and a router could read differently. */
const NOTATIONS: Readonly<Record<string, (path: string) => string>> = {
  'a slash at the end': (path) => `${path}/`,
  'two slashes': (path) => path.replaceAll('/', '//'),
  'a way up': (path) => `${path}/a/../`,
  'an encoded way up': (path) => `${path}/%2e%2e/%2e%2e`,
  'encoded slashes': (path) => path.replaceAll('/', '%2f').replace('%2f', '/'),
  'other case': (path) => path.replace('/sites/', '/SITES/'),
  'the absolute form': (path) => `http://evil.example${path}`,
  'a path parameter': (path) => `${path};a=b`,
  'a backslash': (path) => path.replaceAll('/', '\\'),
  'an encoded NUL': (path) => `${path}/%00`,
  'invalid encoding': (path) => `${path}/%ff`,
  'many segments': (path) => `${path}${'/a'.repeat(30_000)}`,
};

/** Requests for a site that its visitors need a credential for. */
export const forgedVisitors: AttackClass = {
  name: 'forged visitors of published sites',
  async attacks(target) {
    const { victim } = target;
    const site = await publishedPath(victim);
    const [siteSpace, file, page] = [
      await victim.idFor('siteSpaceId'),
      await victim.idFor('fileId'),
      await victim.idFor('pageId'),
    ];
    const addresses = [
      ...['', '/', '/readme', '/readme.md', '/sitemap.xml', '/robots.txt', '/llms.txt'],
      ...[
        `/~search.json?q=${SECRET}`,
        `/~search?q=${SECRET}`,
        `/~pdf/${siteSpace}`,
        `/~pdf/${siteSpace}/${page}`,
      ],
      ...[`/~files/${siteSpace}/${file}`, `/~blocks/${siteSpace}/${page}/0`, '/~scripts/inst_a/b.js'],
    ];
    const attacks: Attack[] = [];
    const add = (name: string, path: string, { query, headers = {} }: Credential) => {
      const address = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
      attacks.push({
        name,
        send: async () => ({
          ...(await sendAs(target, { method: 'GET', target: address, headers })),
          mustFail: true,
          // Addresses contain the names of the organization and the site.
          sent: [SECRET, victim.organization, await victim.idFor('siteId')].filter((text) =>
            address.includes(text),
          ),
        }),
      });
    };
    for (const [credential, presented] of Object.entries(await forgedCredentials(target))) {
      for (const address of addresses) {
        add(`${address} with ${credential}`, `${site}${address}`, presented);
      }
    }
    for (const [notation, write] of Object.entries(NOTATIONS)) {
      add(`${notation}`, write(site), {});
    }
    return attacks;
  },
};

/** Bodies of forms and requests at addresses without authentication. */
const BODIES: Readonly<Record<string, { type: string; body: string; headers?: Record<string, string> }>> = {
  'no form': { type: 'application/json', body: '{}' },
  'an empty form': { type: 'application/x-www-form-urlencoded', body: '' },
  'two responses': {
    type: 'application/x-www-form-urlencoded',
    body: 'SAMLResponse=a&SAMLResponse=b&RelayState=c',
  },
  'a response that is not pending': {
    type: 'application/x-www-form-urlencoded',
    body: `SAMLResponse=${encodeURIComponent(Buffer.from('<a>'.repeat(10_000)).toString('base64'))}&RelayState=a`,
  },
  'many fields': { type: 'application/x-www-form-urlencoded', body: 'a=&'.repeat(MAX_FORM_FIELDS + 1) },
  'a large form': { type: 'application/x-www-form-urlencoded', body: 'a'.repeat(2_000_000) },
  'a compressed form': {
    type: 'application/x-www-form-urlencoded',
    body: 'a=b',
    headers: { 'content-encoding': 'gzip' },
  },
};

/** Requests of identity providers and services that integrations expect, in forms that they do not have. */
export const malformedForms: AttackClass = {
  name: 'malformed forms without authentication',
  async attacks(target) {
    const { own } = target;
    const provider = await own.idFor('samlProviderId');
    const integration = await own.idFor('integrationName');
    const site = await publishedPath(own);
    const siteSpace = await own.idFor('siteSpaceId');
    const addresses = [
      ...[`/saml/${provider}/acs`, '/saml/sign-out', `/saml/${provider}/start`, `/saml/..%2f${provider}/acs`],
      ...[
        `/integrations/${integration}/endpoint`,
        `/integrations/${integration}/installations/inst_a/endpoint/x`,
      ],
      ...[`${site}/~blocks/${siteSpace}/page/0`, site],
    ];
    return addresses.flatMap((address) =>
      Object.entries(BODIES).map(([name, { type, body, headers }]): Attack => {
        const request = {
          method: 'POST',
          target: address,
          headers: { 'content-type': type, ...headers },
          body,
        };
        return {
          name: `${name} at ${address}`,
          // The script of the integration responds to any request.
          send: async () => ({
            ...(await sendAs(target, request)),
            mustFail: !address.endsWith('/endpoint'),
          }),
        };
      }),
    );
  },
};
