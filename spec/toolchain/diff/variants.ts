import { listed } from './canonical.ts';
import type { Form, Part } from './form.ts';
import type { FormReader } from './form-reader.ts';

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
  const [only, headPart] = [before[0], after[0]];
  if (only && headPart && before.length === 1 && after.length === 1) {
    return { pairs: [[only, headPart]], removed: [], added: [], distinct: true };
  }
  const tag = tagOf(base, baseForm, before) ?? tagOf(head, headForm, after);
  const candidates = before.flatMap((basePart) =>
    after.map((headPart) => ({
      one: basePart,
      other: headPart,
      similarity: similarity(
        basePart,
        headPart,
        tag === undefined ? undefined : tagsOf(base, baseForm, basePart, tag),
        tag === undefined ? undefined : tagsOf(head, headForm, headPart, tag),
      ),
    })),
  );
  const pairs: [Part, Part][] = [];
  const matched = new Set<Part>();
  for (const { one: basePart, other: headPart, similarity } of candidates.sort(
    (a, b) => b.similarity - a.similarity,
  )) {
    if (similarity < MIN_SIMILARITY || matched.has(basePart) || matched.has(headPart)) {
      continue;
    }
    pairs.push([basePart, headPart]);
    matched.add(basePart).add(headPart);
  }
  return {
    pairs,
    removed: before.filter((part) => !matched.has(part)),
    added: after.filter((part) => !matched.has(part)),
    distinct: tag !== undefined,
  };
}

/** Name of a variant in messages. */
export function labelOf(part: Part, among: readonly Part[]): string {
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

/** Similarity from 0 to 3, or -1 for variants that cannot match. */
function similarity(
  basePart: Part,
  headPart: Part,
  tags: ReadonlySet<string> | undefined,
  others: ReadonlySet<string> | undefined,
): number {
  if (tags && others) {
    return [...tags].some((tag) => others.has(tag)) ? 3 : -1;
  }
  if (basePart.name !== undefined && basePart.name === headPart.name) {
    return 2;
  }
  if (basePart.kind !== 'object') {
    return overlap(basePart.values ?? new Set(), headPart.values ?? new Set());
  }
  return overlap(new Set(basePart.properties.keys()), new Set(headPart.properties.keys()));
}

/** Share of common names; 1 if both sets are empty. */
function overlap(basePart: ReadonlySet<string>, headPart: ReadonlySet<string>): number {
  const all = new Set([...basePart, ...headPart]);
  if (all.size === 0) {
    return 1;
  }
  return [...basePart].filter((name) => headPart.has(name)).length / all.size;
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
  return [...first.properties.keys()].find((name) => {
    const sets = parts.map((part) => tagsOf(reader, form, part, name));
    const all = sets.flatMap((set) => [...(set ?? [])]);
    return sets.every((set) => set !== undefined) && new Set(all).size === all.length;
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
  const { parts } = reader.form(schema);
  if (parts.length > 0 && parts.every(({ values }) => values !== undefined)) {
    return new Set(parts.flatMap(({ values }) => [...(values ?? [])]));
  }
  if (form.discriminator?.property !== property || part.name === undefined) {
    return undefined;
  }
  const mapped = [...form.discriminator.names].filter(([, name]) => name === part.name).map(([tag]) => tag);
  // Without a mapping, the name of the component is the tag (OpenAPI 3.1, Discriminator Object).
  return new Set((mapped.length > 0 ? mapped : [part.name]).map((tag) => JSON.stringify(tag)));
}
