import { isObject, type Json } from '../document.ts';
import type { Source } from '../source.ts';
import type { OperationContext } from './operation-diff.ts';
import type { References } from './references.ts';

/** One way in: every scheme that a request must come with, and what each must be good for. Empty for anybody. */
type Way = ReadonlySet<string>;

/** Compares who is let in. A way is judged by what travels on the wire, not by the name of its scheme. */
export function diffSecurity(
  { tell }: OperationContext,
  base: { source: Source; references: References; own: Json | undefined },
  head: { source: Source; references: References; own: Json | undefined },
): void {
  const [before, after] = [waysOf(base), waysOf(head)];
  const enough = (come: Way, ways: readonly Way[]) =>
    ways.some((way) => [...way].every((demand) => come.has(demand)));
  const lost = before.filter((way) => !enough(way, after));
  const won = after.filter((way) => !enough(way, before));
  if (lost.length > 0) {
    tell(
      'security-tightened',
      'security',
      `${lost.map(show).join('; or ')}: no longer enough; now ${after.map(show).join('; or ')}.`,
    );
  }
  for (const way of won) {
    // What was demanded beside another way than before is told with what is lost.
    if (lost.length > 0) continue;
    if (way.size === 0) tell('security-opened', 'security', 'Anybody is let in now.');
    else tell('security-added', 'security', `${show(way)}: enough now.`);
  }
}

function show(way: Way): string {
  return way.size === 0 ? 'no credentials' : [...way].join(' and ');
}

function waysOf({
  source,
  references,
  own,
}: {
  source: Source;
  references: References;
  own: Json | undefined;
}): Way[] {
  const list = own ?? source.root.security;
  if (!Array.isArray(list) || list.length === 0) return [new Set()];
  const names = wireNames(source, references);
  return list.filter(isObject).map(
    (way) =>
      new Set(
        Object.entries(way).flatMap(([scheme, scopes]) => {
          const name = names.get(scheme) ?? scheme;
          return [name, ...(Array.isArray(scopes) ? scopes.map((scope) => `${name} with ${scope}`) : [])];
        }),
      ),
  );
}

/** What each scheme of a document is on the wire; schemes that look alike there keep their names. */
function wireNames({ root }: Source, references: References): Map<string, string> {
  const components = root.components;
  const schemes = isObject(components) ? components.securitySchemes : undefined;
  if (!isObject(schemes)) return new Map();
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
