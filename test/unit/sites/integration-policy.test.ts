import { describe, expect, test } from 'vitest';
import {
  extendPolicy,
  MAX_ADDED_SOURCES,
  type Policy,
  policyText,
} from '../../../server/models/site-integrations/policy.ts';
import { blockPolicy } from '../../../server/public/sites/integrations/policy.ts';
import { pagePolicy } from '../../../server/public/sites/respond.ts';

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
    'script-src * , *.com localhost 127.0.0.1 https://[::1] example.com?x https://user@example.com',
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

  test('has a limited number of sources', () => {
    const hosts = Array.from({ length: 1000 }, (_, at) => `h${at}.example.com`).join(' ');
    const sources = extendPolicy(base, [`script-src ${hosts}`]).get('script-src') ?? [];
    expect(sources).toHaveLength(MAX_ADDED_SOURCES + 1);
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
