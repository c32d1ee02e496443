import { isObject, type Json } from '../../document.ts';
import type { Source } from '../../source.ts';
import type { SchemaLookup } from '../form/references.ts';
import type { OperationContext } from './operation-context.ts';

/** Alternative of security requirements: schemes and scopes that a request must have. Empty for anonymous callers. */
type Alternative = ReadonlySet<string>;

/** Security requirements of an operation, if it declares any, and its document. */
interface Requirements {
  source: Source;
  references: SchemaLookup;
  requirements: Json | undefined;
}

/** Compares security requirements. Schemes are identified by their form in requests, not by their name. */
export function diffSecurity({ report }: OperationContext, base: Requirements, head: Requirements): void {
  const [namedBefore, namedAfter] = [wireNames(base), wireNames(head)];
  const ambiguous = new Set([...repeated(namedBefore), ...repeated(namedAfter)]);
  const before = alternativesOf(base, namedBefore, ambiguous);
  const after = alternativesOf(head, namedAfter, ambiguous);
  const isSufficient = (credentials: Alternative, alternatives: readonly Alternative[]) =>
    alternatives.some((alternative) => [...alternative].every((item) => credentials.has(item)));
  const removed = before.filter((alternative) => !isSufficient(alternative, after));
  const added = after.filter((alternative) => !isSufficient(alternative, before));
  const [similar, dropped] = partition(removed, (alternative) =>
    isSufficient(withoutNames(alternative), after.map(withoutNames)),
  );
  const nowText = `now ${after.map(show).join('; or ')}.`;
  if (dropped.length > 0) {
    report(
      'security-tightened',
      'security',
      `${dropped.map(show).join('; or ')}: no longer sufficient; ${nowText}`,
    );
  }
  if (similar.length > 0) {
    report(
      'security-scheme-removed',
      'security',
      `${similar.map(show).join('; or ')}: no longer declared; ${nowText}`,
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

/** Credentials without the names of schemes, which requests do not contain. */
function withoutNames(alternative: Alternative): Alternative {
  return new Set([...alternative].map((item) => item.replace(/ \([^()]*\)(?= with |$)/, '')));
}

function partition<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

function show(alternative: Alternative): string {
  const items = [...alternative];
  // Scopes imply their scheme.
  const shown = items.filter((item) => !items.some((other) => other.startsWith(`${item} with `)));
  return shown.length === 0 ? 'no credentials' : shown.join(' and ');
}

/** @param ambiguous forms of several schemes, which have their names in addition */
function alternativesOf(
  { source, requirements }: Requirements,
  names: ReadonlyMap<string, string>,
  ambiguous: ReadonlySet<string>,
): Alternative[] {
  const list = requirements ?? source.root.security;
  if (!Array.isArray(list) || list.length === 0) {
    return [new Set()];
  }
  return list.filter(isObject).map(
    (requirement) =>
      new Set(
        Object.entries(requirement).flatMap(([scheme, scopes]) => {
          const wire = names.get(scheme) ?? scheme;
          const name = ambiguous.has(wire) ? `${wire} (${scheme})` : wire;
          return [name, ...(Array.isArray(scopes) ? scopes.map((scope) => `${name} with ${scope}`) : [])];
        }),
      ),
  );
}

/** Form of each security scheme in requests. */
function wireNames({ source: { root }, references }: Requirements): Map<string, string> {
  const components = root.components;
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  return new Map(
    Object.entries(isObject(schemes) ? schemes : {}).map(([key, reference]) => {
      const scheme = references.follow(reference);
      return [key, isObject(scheme) ? wireName(scheme, key) : key];
    }),
  );
}

/** Forms that several schemes have. */
function repeated(names: ReadonlyMap<string, string>): string[] {
  const forms = [...names.values()];
  return forms.filter((form, index) => forms.indexOf(form) !== index);
}

function wireName(scheme: Record<string, Json>, key: string): string {
  switch (scheme.type) {
    case 'http':
      return `HTTP ${String(scheme.scheme).toLowerCase()}`;
    case 'apiKey':
      // Names of headers are case-insensitive (RFC 9110, 5.1).
      return `a key in the ${scheme.in} ${scheme.in === 'header' ? String(scheme.name).toLowerCase() : scheme.name}`;
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
