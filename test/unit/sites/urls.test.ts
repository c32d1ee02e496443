import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import openapi from '../../../generated/openapi.json' with { type: 'json' };
import { createResourceUrls } from '../../../server/platform/kit/resource-urls.ts';
import { freePath } from '../../../server/platform/sites/structure/edit/names.ts';
import {
  encodeSegments,
  parseOrganizationAddress,
  parseSiteAddress,
  siteBase,
  siteTarget,
} from '../../../server/platform/spaces/publications/urls.ts';
import { SITE } from './site-row.ts';

const URL_OF_SERVER = 'https://docs.example.com';
const withoutDomain = createResourceUrls(URL_OF_SERVER);
const withDomain = createResourceUrls(URL_OF_SERVER, { sitesDomain: 'sites.example.com' });

describe('the base of a published site', () => {
  test.each([
    [{}, '/sites/org_1/site_1', undefined],
    [{ basename: 'guide' }, '/sites/org_1/guide', undefined],
    [{ basename: 'a b/ü' }, '/sites/org_1/a%20b%2F%C3%BC', undefined],
    [{ organizationHostname: 'acme' }, '/sites/acme/site_1', 'https://acme.sites.example.com/site_1'],
    [
      { organizationHostname: 'acme', basename: 'ü' },
      '/sites/acme/%C3%BC',
      'https://acme.sites.example.com/%C3%BC',
    ],
    // Hostnames that cannot be a subdomain.
    [{ organizationHostname: 'docs.acme.com' }, '/sites/docs.acme.com/site_1', undefined],
    [{ organizationHostname: '-acme' }, '/sites/-acme/site_1', undefined],
  ])('with %j has the path %s, and the subdomain %s if there is a domain', (names, path, subdomain) => {
    const site = { ...SITE, ...names };
    expect(siteBase(withoutDomain, site)).toBe(`${URL_OF_SERVER}${path}`);
    expect(siteBase(withDomain, site)).toBe(subdomain ?? `${URL_OF_SERVER}${path}`);
  });

  test('is the origin of its proxy, but not the target of the proxy', () => {
    const site = { ...SITE, organizationHostname: 'acme', proxyOrigin: 'www.acme.com/docs' };
    expect(siteBase(withDomain, site)).toBe('https://www.acme.com/docs');
    expect(siteTarget(withDomain, site)).toBe('https://acme.sites.example.com/site_1');
  });
});

describe('the URL of a request', () => {
  const sitesDomain = 'sites.example.com';
  const parse = (url: string, domain: string | undefined = sitesDomain) => {
    const { hostname: host, pathname: path } = new URL(url);
    return parseSiteAddress({ sitesDomain: domain }, { host, path });
  };

  test('names a site at the server and at the subdomain of its organization', () => {
    const address = { organization: 'acme', site: 'guide', path: ['api', 'ü/b'] };
    expect(parse(`${URL_OF_SERVER}/sites/acme/guide/api/%C3%BC%2Fb`)).toEqual(address);
    expect(parse('https://acme.sites.example.com/guide/api/%C3%BC%2Fb')).toEqual(address);
    expect(parse('https://acme.sites.example.com/guide/')).toEqual({ ...address, path: [] });
  });

  test.each([
    `${URL_OF_SERVER}/`,
    `${URL_OF_SERVER}/sites`,
    `${URL_OF_SERVER}/sites/acme`,
    `${URL_OF_SERVER}/v1/acme/guide`,
    'https://acme.sites.example.com/',
    `${URL_OF_SERVER}/sites/acme/%ff`,
    // The domain itself has no organization, and other domains only end alike.
    'https://sites.example.com/guide',
    'https://acme.othersites.example.com/guide',
  ])('names no site: %s', (url) => {
    expect(parse(url)).toBeUndefined();
  });

  test.each([
    [`${URL_OF_SERVER}/sites/acme`, 'acme'],
    [`${URL_OF_SERVER}/sites/acme/`, 'acme'],
    ['https://acme.sites.example.com/', 'acme'],
    [`${URL_OF_SERVER}/sites`, undefined],
    [`${URL_OF_SERVER}/sites/acme/guide`, undefined],
    [`${URL_OF_SERVER}/v1`, undefined],
    ['https://acme.sites.example.com/guide', undefined],
    ['https://sites.example.com/', undefined],
  ])('names an organization, but no site: %s', (url, organization) => {
    const { hostname: host, pathname: path } = new URL(url);
    expect(parseOrganizationAddress({ sitesDomain }, { host, path })).toBe(organization);
  });

  test('at a subdomain names no site without a domain', () => {
    const request = { host: 'acme.sites.example.com', path: '/guide' };
    expect(parseSiteAddress({ sitesDomain: undefined }, request)).toBeUndefined();
  });

  test('is parsed to the names and the path from which it was created', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(segment, fc.array(segment), fc.boolean(), (basename, path, hasDomain) => {
        // A browser resolves these segments.
        fc.pre([basename, ...path].every((name) => name !== '.' && name !== '..'));
        const site = { ...SITE, basename, organizationHostname: 'acme' };
        const base = siteBase(hasDomain ? withDomain : withoutDomain, site);
        expect(parse(`${base}${encodeSegments(path)}`)).toEqual({
          organization: 'acme',
          site: basename,
          path,
        });
      }),
    );
  });
});

test('paths that are derived from titles have the format of the contract', () => {
  const { pattern } = openapi.components.schemas.PathSegment;
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (title, isTaken) => {
      const [first, second] = [freePath(title, []), freePath(title, [{ path: freePath(title, []) }])];
      expect(isTaken ? second : first).toMatch(new RegExp(pattern, 'u'));
    }),
  );
});
