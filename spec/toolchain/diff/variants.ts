import { listed } from './canonical.ts';
import type { Form, Part } from './form.ts';
import type { FormReader } from './form-reader.ts';

/** Which variants of two unions are the same. */
export interface Match {
  pairs: [Part, Part][];
  removed: Part[];
  added: Part[];
  /** Whether a property tells the variants apart. */
  told: boolean;
}

/**
 * Finds for each variant of one union its like in the other: by the values that tell variants apart, else by name,
 * else by the properties they have in common. What finds no like was removed or added.
 */
export function matchParts(
  { base, head }: { base: FormReader; head: FormReader },
  baseForm: Form,
  headForm: Form,
  before: readonly Part[],
  after: readonly Part[],
): Match {
  const [only, other] = [before[0], after[0]];
  if (only && other && before.length === 1 && after.length === 1) {
    return { pairs: [[only, other]], removed: [], added: [], told: true };
  }
  const tag = tagOf(base, baseForm, before) ?? tagOf(head, headForm, after);
  const candidates = before.flatMap((one) =>
    after.map((other) => ({
      one,
      other,
      likeness: likeness(
        one,
        other,
        tag === undefined ? undefined : tagsOf(base, baseForm, one, tag),
        tag === undefined ? undefined : tagsOf(head, headForm, other, tag),
      ),
    })),
  );
  const pairs: [Part, Part][] = [];
  const taken = new Set<Part>();
  for (const { one, other, likeness } of candidates.sort((a, b) => b.likeness - a.likeness)) {
    if (likeness < 0.5 || taken.has(one) || taken.has(other)) continue;
    pairs.push([one, other]);
    taken.add(one).add(other);
  }
  return {
    pairs,
    removed: before.filter((part) => !taken.has(part)),
    added: after.filter((part) => !taken.has(part)),
    told: tag !== undefined,
  };
}

/** How a message calls a variant. */
export function labelOf(part: Part, among: readonly Part[]): string {
  if (part.name !== undefined) return part.name;
  if (part.kind === 'object' && part.properties.size > 0)
    return `{${listed([...part.properties.keys()], 4)}}`;
  if (part.values !== undefined) return listed([...part.values], 4);
  return `${part.kind} ${among.indexOf(part) + 1}`;
}

/** From 0 to 3, or below for variants that cannot be the same. */
function likeness(
  one: Part,
  other: Part,
  tags: ReadonlySet<string> | undefined,
  others: ReadonlySet<string> | undefined,
): number {
  if (tags && others) return [...tags].some((tag) => others.has(tag)) ? 3 : -1;
  if (one.name !== undefined && one.name === other.name) return 2;
  if (one.kind !== 'object') return shared(one.values ?? new Set(), other.values ?? new Set());
  return shared(new Set(one.properties.keys()), new Set(other.properties.keys()));
}

/** The share of names that two sets have in common; 1 when both are empty. */
function shared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const all = new Set([...one, ...other]);
  if (all.size === 0) return 1;
  return [...one].filter((name) => other.has(name)).length / all.size;
}

/** The property whose values tell the variants apart: the discriminator's, or one that differs in each of them. */
function tagOf(reader: FormReader, form: Form, parts: readonly Part[]): string | undefined {
  if (form.discriminator) return form.discriminator.property;
  const [first] = parts;
  if (first === undefined || parts.length < 2 || first.kind !== 'object') return undefined;
  return [...first.properties.keys()].find((name) => {
    const sets = parts.map((part) => tagsOf(reader, form, part, name));
    const all = sets.flatMap((set) => [...(set ?? [])]);
    return sets.every((set) => set !== undefined) && new Set(all).size === all.length;
  });
}

/** The values of the property that say "this variant". */
function tagsOf(
  reader: FormReader,
  form: Form,
  part: Part,
  property: string,
): ReadonlySet<string> | undefined {
  const schema = part.properties.get(property);
  if (schema === undefined) return undefined;
  const { parts } = reader.form(schema);
  if (parts.length > 0 && parts.every(({ values }) => values !== undefined)) {
    return new Set(parts.flatMap(({ values }) => [...(values ?? [])]));
  }
  if (form.discriminator?.property !== property || part.name === undefined) return undefined;
  const mapped = [...form.discriminator.names].filter(([, name]) => name === part.name).map(([tag]) => tag);
  // Without a mapping, the name of the component is the tag (OpenAPI 3.1, Discriminator Object).
  return new Set((mapped.length > 0 ? mapped : [part.name]).map((tag) => JSON.stringify(tag)));
}
