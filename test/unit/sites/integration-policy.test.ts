import { describe, expect, test } from 'vitest';
import { blockPolicy, sitePolicy } from '../../../server/platform/sites/reading/integrations/policy.ts';
import { pagePolicy } from '../../../server/platform/sites/reading/respond.ts';
import type { SiteIntegrations } from '../../../server/platform/sites/site-integrations/find.ts';
import {
  extendPolicy,
  MAX_ADDED_SOURCES,
  type Policy,
  policyText,
} from '../../../server/platform/sites/site-integrations/policy.ts';

const base: Policy = new Map([
  ['default-src', ["'none'"]],
  ['script-src', ["'nonce-1'"]],
  ['img-src', ["'self'"]],
]);
const extended = (...policies: string[]) => policyText(extendPolicy(base, policies));

describe('the policy of a page with scripts of integrations', () => {
  test('has the encrypted hosts of the listed directives, each once', () => {
    expect(
      extended(
        'script-src cdn.example.com https://cdn.example.com https://*.example.com/path/; connect-src wss://a.example.com',
        'IMG-SRC data: blob: https://b.example.com:8443; child-src player.example.com',
      ),
    ).toBe(
      "default-src 'none'; " +
        "script-src 'nonce-1' https://cdn.example.com https://*.example.com/path/; " +
        "img-src 'self' data: blob: https://b.example.com:8443; " +
        'connect-src wss://a.example.com; frame-src https://player.example.com',
    );
  });

  test.each([
    "script-src 'unsafe-inline' 'unsafe-eval' 'strict-dynamic' 'unsafe-hashes' 'wasm-unsafe-eval' 'self'",
    "script-src * https: http: data: blob: 'nonce-1x' 'sha256-AAAA' http://example.com ws://example.com",
    'script-src * , *.com 10.0.0.1 https://[2001:db8::1] example.com?x https://user@example.com',
    'frame-src * https: data:; style-src * https:',
    "default-src *; base-uri *; form-action *; object-src *; worker-src *; frame-ancestors *; sandbox; report-uri /x; 'self'",
    'script-src https://example.com\'; script-src "https://a.example.com"',
  ])('is not weakened by %s', (policy) => {
    const values = extended(policy).split('; ');
    expect(values.slice(0, 3)).toEqual(["default-src 'none'", "script-src 'nonce-1'", "img-src 'self'"]);
    expect(values.slice(3).every((value) => /^(?:frame-src|style-src)?$/.test(value))).toBe(true);
  });

  test('allows connections and images everywhere only if an integration lists all', () => {
    expect(extended('connect-src *')).toContain('connect-src https: wss:');
    expect(extended('connect-src example.com')).not.toContain('https: ');
  });

  test('has the sources of `default-src` for directives that an integration does not list', () => {
    expect(extended('default-src cdn.example.com; img-src data:; base-uri cdn.example.com')).toBe(
      "default-src 'none'; script-src 'nonce-1' https://cdn.example.com; img-src 'self' data:; " +
        'style-src https://cdn.example.com; frame-src https://cdn.example.com; ' +
        'connect-src https://cdn.example.com; font-src https://cdn.example.com; media-src https://cdn.example.com',
    );
  });

  test('allows unencrypted connections to this machine only', () => {
    expect(extended('connect-src localhost:4000 ws://127.0.0.1:5000 http://[::1] http://10.0.0.1')).toBe(
      "default-src 'none'; script-src 'nonce-1'; img-src 'self'; " +
        'connect-src http://localhost:4000 ws://127.0.0.1:5000 http://[::1]',
    );
  });

  test('has a limited number of sources', () => {
    const hosts = Array.from({ length: 1000 }, (_, at) => `h${at}.example.com`).join(' ');
    const sources = extendPolicy(base, [`script-src ${hosts}`]).get('script-src') ?? [];
    expect(sources).toHaveLength(MAX_ADDED_SOURCES + 1);
  });
});

describe('the policy of the pages of a site', () => {
  const page = (...policies: (string | null)[]) => {
    const integrations: SiteIntegrations = {
      key: '',
      blocks: [],
      receivesViews: false,
      scripts: policies.map((policy, at) => ({
        installation: `installation-${at}`,
        integration: `integration-${at}`,
        policy,
        version: '1',
        isInDevelopment: false,
        cookies: false,
      })),
    };
    return sitePolicy(integrations, '/sites/a/b')('1');
  };

  test('is not extended without scripts', () => {
    expect(policyText(page())).toBe(policyText(pagePolicy('1')));
  });

  test('lets scripts load scripts, but no other inline code', () => {
    const policy = page(
      "script-src 'unsafe-inline' 'unsafe-eval' cdn.example.com; default-src *; sandbox; report-uri /x",
    );
    expect(policy.get('script-src')).toEqual(["'nonce-1'", "'strict-dynamic'", 'https://cdn.example.com']);
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('base-uri')).toEqual(["'none'"]);
    expect(policy.has('sandbox')).toBe(false);
    expect(policy.get('report-uri')).toEqual(['/sites/a/b/~reports']);
  });

  test('does not limit connections and fonts that a policy does not limit', () => {
    const limited = page('connect-src api.example.com; font-src data:');
    expect(limited.get('connect-src')).toEqual(["'self'", 'https://api.example.com']);
    expect(limited.get('font-src')).toEqual(["'self'", 'data:']);
    expect(page("default-src 'none'").get('connect-src')).toEqual(["'self'"]);
    for (const policy of ['script-src cdn.example.com', null]) {
      expect(page('connect-src api.example.com', policy).get('connect-src')).toEqual([
        "'self'",
        'https:',
        'wss:',
      ]);
    }
    expect(page(null).get('frame-src')).toEqual(["'self'"]);
  });

  test.each([
    "style-src 'unsafe-inline' fonts.example.com",
    'STYLE-SRC unsafe-inline https://fonts.example.com',
  ])('allows inline styles if an integration lists them: %s', (policy) => {
    expect(page(policy).get('style-src')).toEqual(["'self'", "'unsafe-inline'", 'https://fonts.example.com']);
    expect(page('style-src fonts.example.com').get('style-src')).toEqual([
      "'nonce-1'",
      'https://fonts.example.com',
    ]);
  });

  test('allows forms to be sent to listed hosts', () => {
    expect(page('form-action forms.example.com *').get('form-action')).toEqual([
      "'self'",
      'https://forms.example.com',
    ]);
  });
});

describe('the policy of a block', () => {
  const policy = (declared: string | null) => blockPolicy(['https://docs.example.com'], declared)('1');

  test('allows frames of any site, unless the integration lists them, and no scripts of the integration', () => {
    expect(policy(null).get('frame-src')).toEqual(['https://docs.example.com', 'https:']);
    const listed = policy('script-src cdn.example.com; frame-src player.example.com');
    expect(listed.get('frame-src')).toEqual(['https://docs.example.com', 'https://player.example.com']);
    expect(listed.get('script-src')).toEqual(["'nonce-1'"]);
  });

  test('allows this site to embed it, unlike pages', () => {
    expect(policy(null).get('frame-ancestors')).toEqual(["'self'"]);
    expect(pagePolicy('1').get('frame-ancestors')).toEqual(["'none'"]);
  });
});
