import type { JsonObject } from '../../document.ts';
import type { Part } from './form.ts';

/** Component schema that a part of a schema belongs to, and the location within it. */
export interface Origin {
  schema: string;
  /** Location within the schema: `items[].kind`; empty for the schema itself. */
  path: string;
}

/** Members of a plain schema that state where it comes from; not JSON Schema keywords. */
export const MARKERS = {
  /** Name of the component that the plain schema is. */
  component: ' component',
  /** Name of the closest component that contains the plain schema. */
  owner: ' owner',
  /** Whether a union of that component contains the plain schema. */
  variant: ' variant',
  /** Whether a union of the schema that is expanded contains the plain schema. */
  arm: ' arm',
  /** Names of the unions that the plain schema is a variant of, outermost first. */
  unions: ' unions',
  /** Whether the variants of several unions are combined. */
  combined: ' combined',
  /** Schemas that apply in addition, which are not merged into the plain schema. */
  factors: ' factors',
} as const;

const ANNOTATIONS = new Set([
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'default',
  'deprecated',
]);

/** Whether a plain schema constrains values. */
export function constrains(plain: JsonObject): boolean {
  return Object.keys(plain).some(
    (key) => !key.startsWith(' ') && !key.startsWith('x-') && !ANNOTATIONS.has(key),
  );
}

/** Location of a part of two schemas. */
export interface PartLocation {
  /** Location within the schemas. */
  path: string;
  /** The only component that declares the part, if both schemas contain it. */
  origin?: Origin;
}

/**
 * Returns the location of a part of two schemas.
 * @param declares whether a plain schema declares the part
 * @param path location of the part within its variant
 * @param variant location of the variant
 */
export function placeOf(
  [base, head]: readonly [Part, Part],
  declares: (plain: JsonObject) => boolean,
  path: string,
  variant: string,
): PartLocation {
  const declaring = [...base.plains, ...head.plains].filter(declares);
  // What a schema declares next to its union is common to all variants.
  const isCommon = declaring.length > 0 && declaring.every((plain) => plain[MARKERS.arm] !== true);
  const place = { path: isCommon ? path : joinPaths(variant, path) };
  const [first] = declaring;
  const owner = first?.[MARKERS.owner];
  if (first === undefined || typeof owner !== 'string') {
    return place;
  }
  const within = first[MARKERS.variant] === true;
  const isSame = (plain: JsonObject) =>
    plain[MARKERS.owner] === owner && (plain[MARKERS.variant] === true) === within;
  if (!declaring.every(isSame) || !base.plains.some(isSame) || !head.plains.some(isSame)) {
    return place;
  }
  return { ...place, origin: { schema: owner, path: within ? joinPaths(variant, path) : path } };
}

/** Appends a location to another: `a` and `[].b` to `a[].b`. */
export function joinPaths(outer: string, inner: string): string {
  return outer === '' || inner === '' || /^[[<]/.test(inner) ? outer + inner : `${outer}.${inner}`;
}
