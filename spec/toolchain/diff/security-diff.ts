import { isObject, type Json } from '../document.ts';
import type { Source } from '../source.ts';
import type { OperationContext } from './operation-diff.ts';
import type { References } from './references.ts';

/** Alternative of security requirements: schemes and scopes that a request must have. Empty for anonymous callers. */
type Alternative = ReadonlySet<string>;

/** Compares security requirements. Schemes are identified by their form in requests, not by their name. */
export function diffSecurity(
  { report }: OperationContext,
  base: { source: Source; references: References; requirements: Json | undefined },
  head: { source: Source; references: References; requirements: Json | undefined },
): void {
  const [before, after] = [alternativesOf(base), alternativesOf(head)];
  const isSufficient = (credentials: Alternative, alternatives: readonly Alternative[]) =>
    alternatives.some((alternative) => [...alternative].every((item) => credentials.has(item)));
  const removed = before.filter((alternative) => !isSufficient(alternative, after));
  const added = after.filter((alternative) => !isSufficient(alternative, before));
  if (removed.length > 0) {
    report(
      'security-tightened',
      'security',
      `${removed.map(show).join('; or ')}: no longer sufficient; now ${after.map(show).join('; or ')}.`,
    );
  }
  for (const alternative of added) {
    // Already reported with the removed alternatives.
    if (removed.length > 0) {
      continue;
    }
    if (alternative.size === 0) {
      report('security-opened', 'security', 'Anonymous callers are permitted now.');
    } else {
      report('security-added', 'security', `${show(alternative)}: sufficient now.`);
    }
  }
}

function show(alternative: Alternative): string {
  return alternative.size === 0 ? 'no credentials' : [...alternative].join(' and ');
}

function alternativesOf({
  source,
  references,
  requirements,
}: {
  source: Source;
  references: References;
  requirements: Json | undefined;
}): Alternative[] {
  const list = requirements ?? source.root.security;
  if (!Array.isArray(list) || list.length === 0) {
    return [new Set()];
  }
  const names = wireNames(source, references);
  return list.filter(isObject).map(
    (requirement) =>
      new Set(
        Object.entries(requirement).flatMap(([scheme, scopes]) => {
          const name = names.get(scheme) ?? scheme;
          return [name, ...(Array.isArray(scopes) ? scopes.map((scope) => `${name} with ${scope}`) : [])];
        }),
      ),
  );
}

/** Form of each security scheme in requests. Schemes with the same form keep their names. */
function wireNames({ root }: Source, references: References): Map<string, string> {
  const components = root.components;
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  if (!isObject(schemes)) {
    return new Map();
  }
  const named = Object.entries(schemes).map(([key, reference]): [string, string] => {
    const scheme = references.follow(reference);
    return [key, isObject(scheme) ? wireName(scheme, key) : key];
  });
  const count = (wire: string) => named.filter(([, other]) => other === wire).length;
  return new Map(named.map(([key, wire]) => [key, count(wire) > 1 ? `${wire} (${key})` : wire]));
}

function wireName(scheme: Record<string, Json>, key: string): string {
  switch (scheme.type) {
    case 'http':
      return `HTTP ${String(scheme.scheme).toLowerCase()}`;
    case 'apiKey':
      return `a key in the ${scheme.in} ${scheme.name}`;
    case 'oauth2':
      return 'OAuth 2.0';
    case 'openIdConnect':
      return 'OpenID Connect';
    case 'mutualTLS':
      return 'mutual TLS';
    default:
      return key;
  }
}
