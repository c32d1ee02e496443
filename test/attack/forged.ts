import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { redirect, startSite } from '../support/http/site.ts';
import { untilJobsEnd } from '../support/jobs.ts';
import { type Attack, type AttackClass, jsonRequest, SECRET, sendAs, type Target } from './target.ts';

/** Address that the server must not call, in any notation. It is loopback, but not the allowed address. */
const FORBIDDEN = '127.0.0.2';

/** Notations of addresses that are not public. */
const HOSTS = [
  FORBIDDEN,
  '2130706434',
  '0x7f000002',
  '0x7f.0.0.2',
  '0177.0.0.2',
  '127.2',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[::]',
  '[::1]',
  '0.0.0.0',
  'localhost',
  'localhost.',
  'ip6-localhost',
  '169.254.169.254',
  '[fd00::1]',
  '[fe80::1]',
  '10.0.0.1',
  '192.168.0.1',
  '１２７.0.0.2',
  '127。0。0。2',
  `allowed.example@${FORBIDDEN}`,
  `127.0.0.1@${FORBIDDEN}`,
  `127.0.0.1%00.${FORBIDDEN}`,
  `127.0.0.1#@${FORBIDDEN}`,
  `${FORBIDDEN}%2f@127.0.0.1`,
];

/** Schemes other than HTTP. */
const SCHEMES = [
  'file:///etc/passwd',
  'ftp://127.0.0.2/',
  'gopher://127.0.0.2/',
  'ext::sh -c true',
  'data:,a',
];

/** Operations that take a URL, with a body that contains it. */
const CALLERS: Readonly<Record<string, (target: Target, url: string) => Promise<Request>>> = {
  'content import': async (target, url) => ({
    path: `/v1/spaces/${await target.own.idFor('spaceId')}/content/import`,
    body: { url, source: 'html' },
  }),
  'wiki import': async (target, url) => ({
    path: `/v1/spaces/${await target.own.idFor('spaceId')}/content/import`,
    body: { url, source: 'github-wiki' },
  }),
  'Git import': async (target, url) => ({
    path: `/v1/spaces/${await target.own.idFor('spaceId')}/git/import`,
    body: { url, ref: 'refs/heads/main' },
  }),
  'Git export': async (target, url) => ({
    path: `/v1/spaces/${await target.own.idFor('spaceId')}/git/export`,
    body: { url, ref: 'refs/heads/main', commitMessage: 'Export' },
  }),
  specification: async (target, url) => ({
    path: `/v1/orgs/${target.own.organization}/openapi`,
    body: { slug: `forged-${Math.random().toString(36).slice(2)}`, source: { url } },
  }),
  'file of a change request': async (target, url) => ({
    path: `/v1/spaces/${await target.own.idFor('spaceId')}/change-requests/${await target.own.idFor('changeRequestId')}/content`,
    body: { changes: [{ operation: 'insert_files', files: [{ name: 'a.txt', url }] }] },
  }),
};

interface Request {
  path: string;
  body: unknown;
}

interface Canary {
  url: string;
  calls: string[];
  close(): Promise<void>;
}

const canaries = new WeakMap<Target, Canary>();

/** Makes the server fetch forbidden URLs, directly and through a redirect. */
export const forgedAddresses: AttackClass = {
  name: 'forged addresses and redirects',
  async attacks(target) {
    // Created before failing imports keep the space busy.
    await target.own.idFor('changeRequestId');
    const canary = await startCanary();
    canaries.set(target, canary);
    const { port } = new URL(canary.url);
    const urls = [...HOSTS.map((host) => `http://${host}:${port}/page.html`), ...SCHEMES];
    const redirects = urls.filter((url) => URL.canParse(url));
    const site = await startSite(
      Object.fromEntries(redirects.map((url, at) => [`/${at}`, redirect(encodeURI(url))])),
    );
    const direct = urls.map((url) => ({ url, name: url }));
    const indirect = redirects.map((url, at) => ({ url: `${site.url}/${at}`, name: `a redirect to ${url}` }));
    const attacks: Attack[] = [];
    for (const [caller, make] of Object.entries(CALLERS)) {
      for (const { url, name } of [...direct, ...indirect]) {
        attacks.push({
          name: `${caller} from ${name}`,
          send: async () => {
            const { path, body } = await make(target, url);
            const response = await sendAs(target, jsonRequest('post', path, body), target.attacker.token);
            return response;
          },
        });
      }
    }
    return attacks;
  },
  async after(target) {
    // Jobs fetch after the response.
    await untilJobsEnd(target.server.database, target.own.organization);
    const canary = canaries.get(target);
    expect(canary?.calls).toEqual([]);
    await canary?.close();
  },
};

/** Makes integrations call forbidden URLs: public endpoints forward to the programs of their developers. */
export const forgedTunnels: AttackClass = {
  name: 'forged addresses of integrations in development',
  async attacks(target) {
    const canary = await startCanary();
    canaries.set(target, canary);
    const { port } = new URL(canary.url);
    const urls = [...HOSTS.map((host) => `http://${host}:${port}`), ...SCHEMES];
    const site = await startSite(
      Object.fromEntries(urls.map((url, at) => [`/${at}/v1`, redirect(encodeURI(url))])),
    );
    const tunnels = [...urls, ...urls.map((_, at) => `${site.url}/${at}`)];
    const { own, attacker } = target;
    return await Promise.all(
      tunnels.map(async (tunnelUrl): Promise<Attack> => {
        const integration = await own.fresh().idFor('integrationName');
        const address = `/v1/integrations/${integration}/dev`;
        return {
          name: `the tunnel ${tunnelUrl}`,
          send: async () => {
            const set = await sendAs(
              target,
              jsonRequest('put', address, { tunnelUrl, all: true }),
              attacker.token,
            );
            if (set.status >= 300) {
              return set;
            }
            const called = await sendAs(target, jsonRequest('get', `/integrations/${integration}/endpoint`));
            // The integration did not respond.
            return called.status === 502 ? { ...called, status: 400 } : { ...called, mustFail: true };
          },
        };
      }),
    );
  },
  async after(target) {
    const canary = canaries.get(target);
    expect(canary?.calls).toEqual([]);
    await canary?.close();
  },
};

/** A server that must not be called. */
async function startCanary(): Promise<Canary> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.headers.host}${request.url}`);
    response.end(`<title>${SECRET}</title>`);
  });
  await new Promise<void>((resolve) => server.listen(0, FORBIDDEN, resolve));
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${FORBIDDEN}:${port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Signed URLs of the victim's files, specifications and PDFs with changed parts. */
export const forgedSignatures: AttackClass = {
  name: 'forged signed addresses',
  async attacks(target) {
    const { victim } = target;
    const fileId = await victim.idFor('fileId');
    const spaceId = await victim.idFor('spaceId');
    const token = victim.owner.token;
    const read = async (path: string) => (await sendAs(target, jsonRequest('get', path), token)).json;
    const file = (await read(`/v1/spaces/${spaceId}/content/files/${fileId}`)) as { downloadURL: string };
    const pdf = (await read(
      `/v1/spaces/${spaceId}/change-requests/${await victim.idFor('changeRequestId')}/pdf`,
    )) as { url: string };
    await victim.idFor('versionId');
    const spec = (await read(
      `/v1/orgs/${victim.organization}/openapi/${await victim.idFor('specSlug')}/versions/latest/content`,
    )) as { url: string };
    const attacks: Attack[] = [];
    for (const [description, address] of Object.entries({
      file: file.downloadURL,
      PDF: pdf.url,
      specification: spec.url,
    })) {
      for (const [how, url] of variants(new URL(address))) {
        attacks.push({
          name: `the address of a ${description} with ${how}`,
          send: async () => {
            const response = await fetch(url);
            return { status: response.status, text: await response.text(), mustFail: true };
          },
        });
      }
    }
    return attacks;
  },
};

/** Variants of a URL with one changed part each, and without each parameter. */
function* variants(url: URL): Generator<[how: string, url: URL]> {
  const changed = (text: string) =>
    text.replace(/[A-Za-z0-9](?=[^A-Za-z0-9]*$)/, (last) => (last === 'a' ? 'b' : 'a'));
  const parts = url.pathname.split('/');
  for (let at = 2; at < parts.length; at++) {
    const other = new URL(url);
    other.pathname = parts.map((part, index) => (index === at ? changed(part) : part)).join('/');
    yield [`part ${at} of its path changed`, other];
  }
  for (const name of url.searchParams.keys()) {
    const value = url.searchParams.get(name) ?? '';
    const [other, without, twice, empty] = [new URL(url), new URL(url), new URL(url), new URL(url)];
    other.searchParams.set(name, /^\d+$/.test(value) ? `9${value}` : changed(value));
    without.searchParams.delete(name);
    twice.searchParams.append(name, value);
    empty.searchParams.set(name, '');
    yield [`${name} changed`, other];
    yield [`no ${name}`, without];
    yield [`${name} twice`, twice];
    yield [`an empty ${name}`, empty];
  }
}
