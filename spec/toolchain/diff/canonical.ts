import { isObject, type Json } from '../document.ts';

/** JSON with sorted keys: equal texts exactly for equal values. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}

/** Whether two values are equal, wherever their keys stand; both may be absent. */
export function same(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonical(one) === canonical(other);
}

/** `"a", "b" and 3 more`: a list that stays readable however long it is. */
export function listed(items: readonly string[], most = 8): string {
  if (items.length <= most) return items.join(', ');
  return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`;
}
