/** The content security policies of what integrations show. */
import type { SiteIntegrations } from '../../site-integrations/find.ts';
import { declaredSources, extendPolicy, type Policy } from '../../site-integrations/policy.ts';
import { pagePolicy } from '../respond.ts';

/**
 * Returns the policy of a block. Other sites can only be embedded in frames: those that the integration lists, or any if
 * it lists none. Their scripts have an origin of their own.
 */
export const blockPolicy =
  (ownOrigins: readonly string[], declared: string | null) =>
  (nonce: string): Policy => {
    const policy = extendPolicy(new Map([...pagePolicy(nonce), ['frame-src', ownOrigins]]), [declared ?? '']);
    const frames = policy.get('frame-src') ?? [];
    return new Map([
      ...policy,
      // Components contain no scripts of an integration.
      ['script-src', [`'nonce-${nonce}'`]],
      ['frame-src', frames.length > ownOrigins.length ? frames : [...frames, 'https:']],
      ['frame-ancestors', ["'self'"]],
    ]);
  };

/** Path of the reports of what the policy blocked, below the address of a site. */
export const REPORTS_PATH = '~reports';

/** Sources of a directive that a policy does not limit. Images and media come from everywhere in any case. */
const UNLIMITED: ReadonlyMap<string, readonly string[]> = new Map([
  ['connect-src', ['https:', 'wss:']],
  ['font-src', ['https:', 'data:']],
]);

const INLINE = "'unsafe-inline'";
/** The keyword as manifests contain it. */
const INLINE_STYLES = /^'?unsafe-inline'?$/i;

/** What pages add to the policy of a site, by its integrations: it depends on nothing else. */
const additions = new WeakMap<SiteIntegrations, Policy>();

/**
 * Returns the policy of the pages of a site. Scripts of integrations load further scripts, and what their policies
 * allow. Browsers report what is blocked. Without such scripts, the policy is that of all pages.
 *
 * @param base address of the site
 */
export const sitePolicy =
  (integrations: SiteIntegrations, base: string) =>
  (nonce: string): Policy => {
    const page = pagePolicy(nonce);
    if (integrations.scripts.length === 0) {
      return page;
    }
    const added = additions.get(integrations) ?? additionsOf(integrations);
    additions.set(integrations, added);
    const policy = new Map(page);
    for (const [name, sources] of added) {
      policy.set(name, [...(policy.get(name) ?? []), ...sources]);
    }
    // A nonce disables inline styles.
    const styles = added.get('style-src') ?? [];
    if (styles.includes(INLINE)) {
      policy.set('style-src', ["'self'", ...styles]);
    }
    return policy.set('report-uri', [`${base}/${REPORTS_PATH}`]);
  };

/** Returns the sources that the policies of scripts add to {@link pagePolicy}. */
function additionsOf({ scripts }: SiteIntegrations): Policy {
  const page = pagePolicy('');
  const policies = scripts.map(({ policy }) => policy ?? '');
  const added = new Map(extendPolicy(new Map(), policies));
  const add = (name: string, sources: readonly string[]) =>
    added.set(name, [...new Set([...sources, ...(added.get(name) ?? [])])]);
  // Browsers that know it ignore the listed hosts.
  add('script-src', ["'strict-dynamic'"]);
  if (
    policies.some((policy) =>
      declaredSources(policy, 'style-src')?.some((source) => INLINE_STYLES.test(source)),
    )
  ) {
    add('style-src', [INLINE]);
  }
  for (const [name, sources] of UNLIMITED) {
    if (policies.some((policy) => declaredSources(policy, name) === undefined)) {
      add(name, sources);
    }
  }
  return new Map(
    [...added].map(([name, sources]) => {
      const existing = new Set(page.get(name));
      const hasAnyHost = existing.has('https:') || sources.includes('https:');
      const isNew = (source: string) =>
        !existing.has(source) && !(hasAnyHost && source.startsWith('https://'));
      return [name, sources.filter(isNew)];
    }),
  );
}
