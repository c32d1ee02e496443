/** Reads a published site as visitors do: the script on its pages, and the authentication in front of them. */
import { Script } from 'node:vm';
import { ok } from '../../../../client/platform/index.ts';
import { readLevel } from '../installations.ts';
import { agree, Browser } from '../oauth.ts';
import { type Outcome, require, type Step, type Subject } from '../step.ts';

const hasScope = ({ manifest }: Subject, scope: string): boolean => manifest.scopes?.includes(scope) ?? false;

async function inject(subject: Subject): Promise<Outcome> {
  if (!hasScope(subject, 'site:script:inject')) {
    return 'does not apply';
  }
  const page = await fetch(subject.siteUrl);
  const html = await page.text();
  require(page.ok, `the site returns ${page.status}`);
  const [, path] = /<script[^>]* src="([^"]*\/~scripts\/[^"]*)"/.exec(html) ?? [];
  require(path !== undefined, 'no page loads the script');
  const script = await fetch(new URL(path ?? '', page.url));
  const source = await script.text();
  require(script.ok, `the script returns ${script.status}: ${source.slice(0, 200)}`);
  // Throws if it is no script.
  new Script(source);
  const values = Object.values((await readLevel(subject, 'site')).configuration).filter(
    (value): value is string => typeof value === 'string' && value.startsWith('interop-'),
  );
  require(values.length === 0 ||
    values.some((value) => source.includes(value)), 'the script contains no configured value');
  return 'ok';
}

/** Maximum number of redirects between a site and its content. */
const MAX_REDIRECTS = 10;

async function authenticate(subject: Subject): Promise<Outcome> {
  if (!hasScope(subject, 'site:visitor:auth')) {
    return 'does not apply';
  }
  const { service, manifest, targets, siteUrl } = subject;
  const { client } = service.admin;
  const params = { path: { organizationId: service.organization, siteId: targets[0]?.id ?? '' } };
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', {
      params,
      body: { backend: 'integration', integration: manifest.name },
    }),
  );
  await ok(
    client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', {
      params,
      body: { visibility: 'visitor-auth' },
    }),
  );
  const browser = new Browser();
  let url = new URL(siteUrl);
  let hasAgreed = false;
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects++) {
    const response = await browser.open(url);
    const location = response.headers.get('location');
    if (location === null) {
      const text = await response.text();
      require(response.ok, `${url.pathname} returns ${response.status}: ${text.replace(/<[^>]*>|\s+/g, ' ').slice(0, 300)}`);
      require(hasAgreed, 'the site admits visitors without the provider');
      require(text.includes('Interop'), 'the site shows no content');
      const left = await browser.open(`${siteUrl}/~gitbook/auth/logout`);
      require(left.status === 302, `the sign-out returns ${left.status}`);
      return 'ok';
    }
    const next = new URL(location, url);
    if (next.origin !== new URL(service.url).origin) {
      require(!hasAgreed, 'the visitor returns to the provider');
      hasAgreed = true;
      url = agree(next);
    } else {
      url = next;
    }
  }
  throw new Error(`more than ${MAX_REDIRECTS} redirects`);
}

export const scriptStep: Step = { name: 'script', run: inject };
export const visitorsStep: Step = { name: 'visitors', run: authenticate };
