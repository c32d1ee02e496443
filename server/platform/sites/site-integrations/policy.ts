/** What the content security policies of integrations add to the policies of pages. */

/** Sources that a directive of an integration can add besides hosts. */
interface AllowedSources {
  /** Schemes of content that a page itself creates. */
  schemes: readonly string[];
  /** Whether it can add all hosts, with `*` or `https:`. */
  anyHost: boolean;
}

const OWN_CONTENT = { schemes: ['data:', 'blob:'], anyHost: true };
const LISTED_HOSTS = { schemes: [], anyHost: false };

/**
 * The directives of integrations that apply to pages. Others would weaken a page as a whole: those that select its base
 * address, plugins, the pages that embed it, or who receives reports. Frames, scripts and forms only use listed hosts,
 * and no directive adds inline scripts or `eval`.
 */
const ADDABLE: ReadonlyMap<string, AllowedSources> = new Map([
  ['script-src', LISTED_HOSTS],
  ['style-src', { schemes: ['blob:'], anyHost: false }],
  ['frame-src', LISTED_HOSTS],
  ['form-action', LISTED_HOSTS],
  ['connect-src', OWN_CONTENT],
  ['img-src', OWN_CONTENT],
  ['font-src', OWN_CONTENT],
  ['media-src', OWN_CONTENT],
]);

/** Directives that are read as another one. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['script-src-elem', 'script-src'],
  ['style-src-elem', 'style-src'],
  ['style-src-attr', 'style-src'],
  ['child-src', 'frame-src'],
]);

/** A host, or all subdomains of a domain with at least two labels, with an optional port and path. */
const HOST =
  /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z](?::\d{1,5})?(?:\/[\w.~!$&()+@%/-]*)?$/i;

/** This machine, for integrations in development. Connections to it are not encrypted. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/[\w.~!$&()+@%/-]*)?$/i;

/** Maximum number of sources that the integrations of a page add: servers limit the size of headers. */
export const MAX_ADDED_SOURCES = 300;

/** Directives with their sources. */
export type Policy = ReadonlyMap<string, readonly string[]>;

/** Adds the sources of integrations to the policy of a page, see {@link ADDABLE}. */
export function extendPolicy(base: Policy, policies: readonly string[]): Policy {
  const extended = new Map([...base].map(([name, sources]) => [name, [...sources]]));
  let remaining = MAX_ADDED_SOURCES;
  for (const [name, source] of policies.flatMap(addedSources)) {
    const sources = (extended.get(name) ?? []).filter((existing) => existing !== "'none'");
    if (!sources.includes(source) && remaining > 0) {
      remaining -= 1;
      sources.push(source);
    }
    extended.set(name, sources);
  }
  return extended;
}

/** Returns the sources that a policy lists for a directive, as they are written; undefined if it does not limit them. */
export const declaredSources = (policy: string, directive: string): readonly string[] | undefined =>
  sourcesOf(parse(policy), directive);

/** `default-src` applies to the directives of what a page loads, if they are absent. */
const sourcesOf = (directives: ReadonlyMap<string, string[]>, name: string): readonly string[] | undefined =>
  directives.get(name) ?? (name.endsWith('-src') ? directives.get('default-src') : undefined);

function parse(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>();
  for (const directive of policy.split(';')) {
    const [directiveName = '', ...sources] = directive.trim().split(/[\s,]+/);
    const name = ALIASES.get(directiveName.toLowerCase()) ?? directiveName.toLowerCase();
    const listed = directives.get(name) ?? [];
    listed.push(...sources);
    directives.set(name, listed);
  }
  return directives;
}

/** Returns the sources of a policy that pages accept, each with its directive. */
function addedSources(policy: string): [directive: string, source: string][] {
  const directives = parse(policy);
  const added: [string, string][] = [];
  for (const [name, addable] of ADDABLE) {
    // All hosts are added only to the directives that list them.
    const anyHost = addable.anyHost && directives.has(name);
    for (const source of sourcesOf(directives, name) ?? []) {
      for (const accepted of acceptedSources(source, name, { ...addable, anyHost })) {
        added.push([name, accepted]);
      }
    }
  }
  return added;
}

function acceptedSources(source: string, name: string, { schemes, anyHost }: AllowedSources): string[] {
  const keyword = source.toLowerCase();
  const secure = name === 'connect-src' ? ['https:', 'wss:'] : ['https:'];
  if (anyHost && keyword === '*') {
    return secure;
  }
  if (schemes.includes(keyword) || (anyHost && secure.includes(keyword))) {
    return [keyword];
  }
  const [, declared, host = ''] = /^(?:([a-z]+:)\/\/)?(.+)$/i.exec(source) ?? [];
  if (LOOPBACK_HOST.test(host)) {
    const schemes = name === 'connect-src' ? ['http:', 'https:', 'ws:', 'wss:'] : ['http:', 'https:'];
    const scheme = (declared ?? 'http:').toLowerCase();
    return schemes.includes(scheme) ? [`${scheme}//${host}`] : [];
  }
  const scheme = declared ?? 'https:';
  return secure.includes(scheme.toLowerCase()) && HOST.test(host) ? [`${scheme.toLowerCase()}//${host}`] : [];
}

/** Returns the value of the header. */
export const policyText = (policy: Policy): string =>
  [...policy].map(([name, sources]) => [name, ...sources].join(' ')).join('; ');
