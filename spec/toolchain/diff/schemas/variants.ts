import { listed } from '../../report/text.ts';
import type { Form, Part, Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';

/** Smallest similarity of matching variants. */
const MIN_SIMILARITY = 0.5;

/** Matching variants of two unions. */
export interface Match {
  pairs: [Part, Part][];
  removed: Part[];
  added: Part[];
  /** Whether a property distinguishes the variants. */
  distinct: boolean;
}

/**
 * Matches the variants of two unions: by the values of their tag, by name, or by common properties. Other variants
 * were removed or added.
 */
export function matchParts(
  { base, head }: { base: FormReader; head: FormReader },
  baseForm: Form,
  headForm: Form,
  before: readonly Part[],
  after: readonly Part[],
): Match {
  const tag = tagOf(base, baseForm, before) ?? tagOf(head, headForm, after);
  const [tagsBefore, tagsAfter] =
    tag === undefined
      ? [[], []]
      : [
          before.map((part) => tagsOf(base, baseForm, part, tag)),
          after.map((part) => tagsOf(head, headForm, part, tag)),
        ];
  const matched = new Map<Part, Part>();
  const others = new Set(after);
  const pair = (one: Part, other: Part) => {
    matched.set(one, other);
    others.delete(other);
  };
  // Tags identify a variant; without them, its name does.
  for (const [index, one] of before.entries()) {
    const other = after.find((part, at) => others.has(part) && isTagged(tagsBefore[index], tagsAfter[at]));
    if (other) {
      pair(one, other);
    }
  }
  const isEligible = (one: Part, other: Part) => {
    const tags = [tagsBefore[before.indexOf(one)], tagsAfter[after.indexOf(other)]];
    const hasTag = tag !== undefined && one.properties.has(tag) && other.properties.has(tag);
    return !matched.has(one) && others.has(other) && !(hasTag && tags.some((values) => values !== undefined));
  };
  for (const one of before) {
    const other = after.find(
      (part) => part.name !== undefined && part.name === one.name && isEligible(one, part),
    );
    if (other) {
      pair(one, other);
    }
  }
  const candidates = before.flatMap((one) =>
    after
      .filter((other) => isEligible(one, other))
      .map((other) => ({ one, other, similarity: similarity(one, other) })),
  );
  for (const { one, other, similarity } of candidates.sort((a, b) => b.similarity - a.similarity)) {
    if (similarity >= MIN_SIMILARITY && !matched.has(one) && others.has(other)) {
      pair(one, other);
    }
  }
  return {
    pairs: [...matched],
    removed: before.filter((part) => !matched.has(part)),
    added: [...others],
    distinct: tag !== undefined && [...tagsBefore, ...tagsAfter].every((values) => values !== undefined),
  };
}

function isTagged(tags: ReadonlySet<string> | undefined, others: ReadonlySet<string> | undefined): boolean {
  return tags !== undefined && others !== undefined && !tags.isDisjointFrom(others);
}

/** Name of a variant in messages, which no other variant has. */
export function labelOf(reader: FormReader, part: Part, among: readonly Part[]): string {
  const label = plainLabelOf(part, among);
  if (part.name !== undefined || part.kind !== 'object') {
    return label;
  }
  const alike = among.filter((other) => other !== part && plainLabelOf(other, among) === label);
  if (alike.length === 0) {
    return label;
  }
  for (const [name, schema] of part.properties) {
    const values = valuesOf(reader, schema);
    const others = alike.map((other) => valuesOf(reader, other.properties.get(name) ?? true));
    if (values && others.every((set) => set === undefined || set.isDisjointFrom(values))) {
      return `{${name}: ${listed([...values], 4)}}`;
    }
  }
  const required = [...part.required].filter((name) => alike.some((other) => !other.required.has(name)));
  return required.length > 0 ? `{requires ${listed(required, 4)}}` : label;
}

function plainLabelOf(part: Part, among: readonly Part[]): string {
  if (part.name !== undefined) {
    return part.name;
  }
  if (part.kind === 'object' && part.properties.size > 0) {
    return `{${listed([...part.properties.keys()], 4)}}`;
  }
  if (part.values !== undefined) {
    return listed([...part.values], 4);
  }
  return `${part.kind} ${among.indexOf(part) + 1}`;
}

/** Values of a schema, if it lists all of them. */
function valuesOf(reader: FormReader, schema: Schema): ReadonlySet<string> | undefined {
  const { parts } = reader.form(schema);
  return parts.length > 0 && parts.every(({ values }) => values !== undefined)
    ? new Set(parts.flatMap(({ values }) => [...(values ?? [])]))
    : undefined;
}

/** Similarity from 0 to 1, and more with the same required properties. */
function similarity(one: Part, other: Part): number {
  if (one.kind !== 'object') {
    return one.values && other.values
      ? one.values.intersection(other.values).size / Math.min(one.values.size, other.values.size)
      : overlap(one.values ?? new Set(), other.values ?? new Set());
  }
  const [before, after] = [new Set(one.properties.keys()), new Set(other.properties.keys())];
  const isExtended = before.size > 0 && before.isSubsetOf(after);
  const shared = Math.max(overlap(before, after), isExtended ? MIN_SIMILARITY : 0);
  return shared + overlap(one.required, other.required) / 10;
}

/** Share of common names; 1 if both sets are empty. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = one.union(other);
  return all.size === 0 ? 1 : one.intersection(other).size / all.size;
}

/** Property that distinguishes the variants: the discriminator, or one with different values in each variant. */
function tagOf(reader: FormReader, form: Form, parts: readonly Part[]): string | undefined {
  if (form.discriminator) {
    return form.discriminator.property;
  }
  const [first] = parts;
  if (first === undefined || parts.length < 2 || first.kind !== 'object') {
    return undefined;
  }
  const names = new Set(parts.flatMap(({ properties }) => [...properties.keys()]));
  return [...names].find((name) => {
    const sets = parts.flatMap((part) => tagsOf(reader, form, part, name) ?? []);
    const values = sets.flatMap((set) => [...set]);
    // A variant for other values, such as a pattern, has no tag.
    return sets.length > 1 && sets.length >= parts.length - 1 && new Set(values).size === values.length;
  });
}

/** Values of the property that identify a variant. */
function tagsOf(
  reader: FormReader,
  form: Form,
  part: Part,
  property: string,
): ReadonlySet<string> | undefined {
  const schema = part.properties.get(property);
  if (schema === undefined) {
    return undefined;
  }
  const values = valuesOf(reader, schema);
  if (values !== undefined) {
    return values;
  }
  if (form.discriminator?.property !== property || part.name === undefined) {
    return undefined;
  }
  const mapped = [...form.discriminator.names].filter(([, name]) => name === part.name).map(([tag]) => tag);
  // Without a mapping, the name of the component is the tag (OpenAPI 3.1, Discriminator Object).
  return new Set((mapped.length > 0 ? mapped : [part.name]).map((tag) => JSON.stringify(tag)));
}
