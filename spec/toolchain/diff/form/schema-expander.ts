import { isObject, type Json, type JsonObject, modelReference } from '../../document.ts';
import { canonical } from './canonical.ts';
import { Combiner, type Conjunct, MAX_VARIANTS } from './combiner.ts';
import { type Alternative, type Form, isNever, type Schema } from './form.ts';
import type { Inheritance } from './inheritance.ts';
import { MARKERS } from './origin.ts';
import type { SchemaIdentities } from './schema-identities.ts';

/** Schema with resolved references and expanded unions. */
export interface Expanded {
  /** Each alternative is a list of plain schemas. A value must match all of them. */
  alternatives: Alternative[];
  /** Plain schemas that apply to all values, outermost first; they provide the annotations. */
  always: JsonObject[];
  exclusive: boolean;
  discriminator?: Form['discriminator'];
  uncombined?: string;
}

/** Location of a schema while it is expanded. */
interface Scope {
  /** Schemas that contain it. */
  within: readonly Json[];
  /** Name of the closest component that contains it. */
  owner?: string;
  /** Whether a union of the component contains it. */
  variant: boolean;
  /** Whether a union of the expanded schema contains it. */
  arm: boolean;
  /** Names of the unions that contain it, outermost first. */
  unions: readonly string[];
  /** Whether to keep unions within `allOf` apart. */
  apart: boolean;
  /** Whether another component extends the schema, which then means only itself. */
  extended: boolean;
}

/** Largest number of schemas that are merged because several schemas of an `allOf` declare the same property. */
const MAX_MERGED_SCHEMAS = 2000;

/** Resolves the references of schemas, and expands their unions to alternatives. */
export class SchemaExpander {
  readonly #identities: SchemaIdentities;
  readonly #combiner: Combiner;
  readonly #unions = new WeakMap<JsonObject, Map<string, Schema>>();

  constructor(identities: SchemaIdentities) {
    this.#identities = identities;
    this.#combiner = new Combiner(identities.references);
  }

  /** @param apart whether to keep unions within `allOf` apart instead of combining their variants */
  expand(schema: Schema, apart: boolean): Expanded {
    return this.#expand(schema, {
      within: [],
      variant: false,
      arm: false,
      unions: [],
      apart,
      extended: false,
    });
  }

  #expand(schema: Schema, scope: Scope): Expanded {
    if (isNever(schema)) {
      return { alternatives: [], always: [], exclusive: false };
    }
    // A schema within itself adds no constraints.
    if (!isObject(schema) || scope.within.includes(schema)) {
      return { alternatives: [[]], always: [], exclusive: false };
    }
    const name = this.#identities.references.nameOf(schema);
    const inheritance =
      name === undefined || scope.extended ? undefined : this.#identities.inheritances.get(name);
    if (inheritance) {
      return this.#inherit(inheritance, { ...scope, ...(name !== undefined && { owner: name }) });
    }
    const inner: Scope = { ...scope, within: [...scope.within, schema] };
    if (typeof schema.$ref === 'string') {
      // A reference can be at several places, if the document was read from YAML with aliases.
      const target = this.#expand(this.#identities.references.follow(schema), scope);
      const siblings = this.#identities.siblingsOf(schema);
      return Object.keys(siblings).length === 0
        ? target
        : this.#join([this.#expand(siblings, inner), target], [siblings, { $ref: schema.$ref }], scope.apart);
    }
    if (name !== undefined) {
      Object.assign(inner, { owner: name, variant: false });
    }
    const separate = this.#identities.membersOf(schema);
    if (separate !== undefined && this.#identities.combinedCount > MAX_MERGED_SCHEMAS) {
      const plain = { [MARKERS.factors]: separate };
      const uncombined = `Its allOf merges more than ${MAX_MERGED_SCHEMAS} schemas`;
      return { alternatives: [[plain]], always: [], exclusive: false, uncombined };
    }
    const { allOf, anyOf, oneOf, nullable, discriminator, ...keywords } = schema;
    const isUnion = anyOf !== undefined || oneOf !== undefined;
    const plain: JsonObject = { ...keywords, ...marksOf(inner) };
    // The name of a union is not the name of its variants.
    if (name !== undefined && !isUnion) {
      plain[MARKERS.component] = name;
    }
    const base: Expanded = { alternatives: [[plain]], always: [plain], exclusive: false };
    const tag = readDiscriminator(discriminator);
    if (tag) {
      base.discriminator = tag;
    }
    const conjuncts = [base];
    const schemas: Schema[] = [true];
    if (Array.isArray(allOf)) {
      const part = { ...inner, extended: name !== undefined };
      conjuncts.push(...allOf.map((member) => this.#expand(member, part)));
      schemas.push(...allOf);
    }
    const arms: Scope = {
      ...inner,
      variant: true,
      arm: true,
      extended: false,
      unions: name === undefined ? inner.unions : [...inner.unions, name],
    };
    if (Array.isArray(anyOf)) {
      conjuncts.push(this.#unite(anyOf, false, arms));
      schemas.push(this.#unionOf(schema, 'anyOf', anyOf));
    }
    if (Array.isArray(oneOf)) {
      conjuncts.push(this.#unite(oneOf, true, arms));
      schemas.push(this.#unionOf(schema, 'oneOf', oneOf));
    }
    const whole = this.#join(conjuncts, schemas, scope.apart && Array.isArray(allOf));
    if (!this.#identities.isVersion30 || nullable !== true) {
      return whole;
    }
    // Formally `nullable` has no effect without a type, but next to a union or allOf authors intend one.
    return { ...whole, alternatives: [...whole.alternatives, [{ type: 'null' }]] };
  }

  /** A schema that others inherit from means each of them, with the values that select it. */
  #inherit({ property, mapping, members }: Inheritance, scope: Scope): Expanded {
    const arms: Scope = { ...scope, variant: true, arm: true, extended: true };
    const expanded = members.map(({ name, values }) => {
      const reference = { $ref: modelReference(name) };
      const own = this.#expand(reference, arms);
      const tag = { properties: { [property]: { enum: [...values] } } };
      return values.length === 0
        ? own
        : this.#join([own, this.#expand(tag, arms)], [reference, tag], scope.apart);
    });
    const discriminator = readDiscriminator({ propertyName: property, mapping });
    return {
      alternatives: expanded.flatMap(({ alternatives }) => alternatives),
      always: [],
      exclusive: false,
      ...(discriminator && { discriminator }),
      ...uncombinedIn(expanded),
    };
  }

  /** Union of a schema without its other keywords; equal for each call. */
  #unionOf(schema: JsonObject, keyword: 'anyOf' | 'oneOf', list: Json[]): Schema {
    const ofSchema = this.#unions.get(schema) ?? new Map<string, Schema>();
    this.#unions.set(schema, ofSchema);
    const union = ofSchema.get(keyword) ?? { [keyword]: list };
    ofSchema.set(keyword, union);
    return union;
  }

  #unite(list: readonly Schema[], exclusive: boolean, scope: Scope): Expanded {
    const expanded = list.map((member) => this.#expand(member, scope));
    const [only, ...more] = expanded.filter(({ alternatives }) => !alternatives.every(isNull));
    return {
      alternatives: expanded.flatMap(({ alternatives }) => alternatives),
      // The constraints of the only member besides null apply to all values.
      always: only !== undefined && more.length === 0 ? only.always : [],
      exclusive: exclusive || expanded.some((member) => member.exclusive),
      ...(only?.discriminator && more.length === 0 && { discriminator: only.discriminator }),
      ...uncombinedIn(expanded),
    };
  }

  #join(expanded: readonly Expanded[], schemas: readonly Schema[], apart: boolean): Expanded {
    const conjuncts = expanded.map(
      ({ alternatives }, index): Conjunct => ({ alternatives, schema: schemas[index] ?? true }),
    );
    const { alternatives, uncombined } = this.#combiner.combine(conjuncts, apart);
    const reason = `Its unions within allOf have ${uncombined} combinations, more than ${MAX_VARIANTS}`;
    const discriminator = expanded.find((conjunct) => conjunct.discriminator)?.discriminator;
    return {
      alternatives,
      always: expanded.flatMap(({ always }) => always),
      exclusive: expanded.some(({ exclusive }) => exclusive),
      ...(discriminator && { discriminator }),
      ...uncombinedIn([...expanded, uncombined === undefined ? {} : { uncombined: reason }]),
    };
  }
}

function marksOf({ owner, variant, arm, unions }: Scope): JsonObject {
  return {
    [MARKERS.arm]: arm,
    ...(owner !== undefined && { [MARKERS.owner]: owner, [MARKERS.variant]: variant }),
    ...(unions.length > 0 && { [MARKERS.unions]: [...unions] }),
  };
}

function uncombinedIn(expanded: readonly Pick<Expanded, 'uncombined'>[]): Pick<Expanded, 'uncombined'> {
  const uncombined = expanded.flatMap((one) => one.uncombined ?? []).at(-1);
  return uncombined === undefined ? {} : { uncombined };
}

function isNull(alternative: Alternative): boolean {
  return alternative.some((plain) => {
    const allowed = plain.enum ?? (plain.const === undefined ? undefined : [plain.const]);
    return plain.type === 'null' || (allowed !== undefined && canonical(allowed) === '[null]');
  });
}

function readDiscriminator(value: Json | undefined): Form['discriminator'] {
  if (!isObject(value) || typeof value.propertyName !== 'string') {
    return undefined;
  }
  const mapping = isObject(value.mapping) ? Object.entries(value.mapping) : [];
  return {
    property: value.propertyName,
    names: new Map(mapping.map(([tag, target]) => [tag, String(target).replace(/^.*\//, '')])),
  };
}
