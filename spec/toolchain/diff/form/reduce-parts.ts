import { canonical } from './canonical.ts';
import { isFree, type Part } from './form.ts';

/** Merges the variants of a union into as few equivalent parts as possible. */
export function reduceParts(parts: readonly Part[], exclusive: boolean): Part[] {
  if (new Set(parts.map(({ kind }) => kind)).size === parts.length) {
    return [...parts];
  }
  const reduced: Part[] = [];
  for (const part of parts) {
    const alike = reduced.findIndex((other) => other.kind === part.kind && key(other) === key(part));
    const other = reduced[alike];
    if (other === undefined) {
      reduced.push(part);
    } else if (part.values === undefined || other.values === undefined) {
      // Parts without values are equal if their keys are.
      if (part.values !== other.values) {
        reduced.push(part);
      }
    } else {
      const values = new Set([...other.values, ...part.values]);
      const { values: _, ...rest } = { ...other, plains: [...other.plains, ...part.plains] };
      reduced[alike] = part.kind === 'boolean' && values.size === 2 ? rest : { ...rest, values };
    }
  }
  if (exclusive) {
    return reduced;
  }
  // An enum next to an unconstrained string has no effect.
  return reduced.filter(
    (part) =>
      !reduced.some(
        (other) =>
          other !== part && other.kind === part.kind && isFree(other) && (!other.integer || part.integer),
      ),
  );
}

/** Constraints of a part besides its values. Variants with different names stay separate. */
function key(part: Part): string {
  const cached = keys.get(part);
  if (cached !== undefined) {
    return cached;
  }
  const { values, name, plains, unions, ...rest } = part;
  const partKey = canonical(
    JSON.parse(
      JSON.stringify({ ...rest, name: part.kind === 'object' ? (name ?? null) : null }, (_, value) =>
        value instanceof Map || value instanceof Set ? [...value] : value,
      ),
    ),
  );
  keys.set(part, partKey);
  return partKey;
}

const keys = new WeakMap<Part, string>();
