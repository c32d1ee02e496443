/** What the content security policies of integrations add to the policies of pages. */

/** Sources that a directive of an integration can add besides hosts. */
interface AllowedSources {
  /** Schemes of content that a page itself creates. */
  schemes: readonly string[];
  /** Whether it can add all hosts, with `*` or `https:`. */
  anyHost: boolean;
}

const OWN_CONTENT = { schemes: ['data:', 'blob:'], anyHost: true };

/**
 * The directives of integrations that apply to pages. Others would weaken a page as a whole: those that select its base
 * address, plugins, workers, the targets of its forms, or the pages that embed it. Frames and scripts come only from
 * listed hosts, and no directive adds inline scripts or `eval`.
 */
const ADDABLE: ReadonlyMap<string, AllowedSources> = new Map([
  ['script-src', { schemes: [], anyHost: false }],
  ['style-src', { schemes: [], anyHost: false }],
  ['frame-src', { schemes: [], anyHost: false }],
  ['connect-src', { schemes: [], anyHost: true }],
  ['img-src', OWN_CONTENT],
  ['font-src', OWN_CONTENT],
  ['media-src', OWN_CONTENT],
]);

/** Directives that are read as another one. */
const ALIASES: Readonly<Record<string, string>> = {
  'script-src-elem': 'script-src',
  'style-src-elem': 'style-src',
  'child-src': 'frame-src',
};

/** A host, or all subdomains of a domain with at least two labels, with an optional port and path. */
const HOST =
  /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z](?::\d{1,5})?(?:\/[\w.~!$&()+@%/-]*)?$/i;

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

/** Returns the sources of a policy that pages accept, each with its directive. */
function addedSources(policy: string): [directive: string, source: string][] {
  const added: [string, string][] = [];
  for (const directive of policy.split(';')) {
    const [directiveName = '', ...sources] = directive.trim().split(/[\s,]+/);
    const name = ALIASES[directiveName.toLowerCase()] ?? directiveName.toLowerCase();
    const addable = ADDABLE.get(name);
    if (!addable) {
      continue;
    }
    for (const source of sources) {
      for (const accepted of acceptedSources(source, name, addable)) {
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
  const [, scheme = 'https:', host = ''] = /^(?:([a-z]+:)\/\/)?(.+)$/i.exec(source) ?? [];
  return secure.includes(scheme.toLowerCase()) && HOST.test(host) ? [`${scheme.toLowerCase()}//${host}`] : [];
}

/** Returns the value of the header. */
export const policyText = (policy: Policy): string =>
  [...policy].map(([name, sources]) => [name, ...sources].join(' ')).join('; ');
