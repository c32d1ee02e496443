import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Source } from '../source.ts';
import { canonical } from './canonical.ts';
import { type Conjunct, createCombine, MAX_VARIANTS } from './combine.ts';
import { type Form, isAny, isNever, type Part, type Schema } from './form.ts';
import { markers } from './origin.ts';
import { type Alternative, partsOf } from './parts.ts';
import { reduceParts } from './reduce-parts.ts';
import { createReferences, type References } from './references.ts';

/** Reader of a document's schemas. */
export interface FormReader extends References {
  /**
   * Normal form of a schema; cached.
   * @param apart whether to keep unions within `allOf` apart instead of combining their variants
   */
  form(schema: Schema, apart?: boolean): Form;
}

/** Schema with resolved references and expanded unions. */
interface Expanded {
  /** Each alternative is a list of plain schemas, all of which a value must match. */
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
}

/** Largest number of schemas that are merged because several schemas of an `allOf` declare the same property. */
const MAX_MERGED_SCHEMAS = 2000;

/** Creates the reader of a document's schemas. Forms are lazy: nested schemas stay unchanged. */
export function createFormReader(source: Source): FormReader {
  const references = createReferences(source);
  // OpenAPI 3.0 has the keyword `nullable`, and ignores keywords next to a reference.
  const isVersion30 = /^3\.0/.test(String(source.root.openapi));
  const forms = new Map<number | string, Form>();
  const formsApart = new Map<number | string, Form>();
  const merged = new Map<string, Schema>();
  const members = new Map<Schema, Schema[]>();
  const unions = new WeakMap<JsonObject, Map<string, Schema>>();
  const combine = createCombine(references);

  /**
   * Combines schemas with `allOf`. Equal inputs have the same result, and results are never nested, so that recursive
   * schemas terminate.
   */
  function intersect(schemas: readonly Schema[]): Schema {
    const flat = schemas.flatMap((schema) => members.get(schema) ?? [schema]);
    const distinct = new Map(
      flat.filter((schema) => !isAny(schema)).map((schema) => [String(identityOf(schema)), schema]),
    );
    const [only, ...more] = distinct.values();
    if (only === undefined) {
      return true;
    }
    if (more.length === 0) {
      return only;
    }
    const key = [...distinct.keys()].sort().join(' ');
    let schema = merged.get(key);
    if (schema === undefined) {
      schema = { allOf: [...distinct.values()] };
      merged.set(key, schema);
      members.set(schema, [...distinct.values()]);
    }
    return schema;
  }

  function identityOf(schema: Schema): number | string {
    const bare =
      isObject(schema) &&
      typeof schema.$ref === 'string' &&
      Object.keys(siblingsOf(schema)).every(isAnnotation);
    return references.identify(bare ? references.follow(schema) : schema);
  }

  /** Keywords next to a reference. */
  function siblingsOf({ $ref, ...siblings }: JsonObject): JsonObject {
    // OpenAPI 3.0 formally ignores all of them, but authors intend these.
    const { default: value, deprecated } = siblings;
    return isVersion30
      ? { ...(value !== undefined && { default: value }), ...(deprecated !== undefined && { deprecated }) }
      : siblings;
  }

  function expand(schema: Schema, scope: Scope): Expanded {
    if (isNever(schema)) {
      return { alternatives: [], always: [], exclusive: false };
    }
    // A schema within itself adds no constraints.
    if (!isObject(schema) || scope.within.includes(schema)) {
      return { alternatives: [[]], always: [], exclusive: false };
    }
    const inner: Scope = { ...scope, within: [...scope.within, schema] };
    if (typeof schema.$ref === 'string') {
      const target = expand(references.follow(schema), inner);
      const siblings = siblingsOf(schema);
      return Object.keys(siblings).length === 0
        ? target
        : join([expand(siblings, inner), target], [siblings, { $ref: schema.$ref }], scope.apart);
    }
    const name = references.nameOf(schema);
    if (name !== undefined) {
      Object.assign(inner, { owner: name, variant: false });
    }
    const separate = members.get(schema);
    if (separate !== undefined && members.size > MAX_MERGED_SCHEMAS) {
      const plain = { [markers.factors]: separate };
      const uncombined = `Its allOf merges more than ${MAX_MERGED_SCHEMAS} schemas`;
      return { alternatives: [[plain]], always: [], exclusive: false, uncombined };
    }
    const { allOf, anyOf, oneOf, nullable, discriminator, ...keywords } = schema;
    const isUnion = anyOf !== undefined || oneOf !== undefined;
    const plain: JsonObject = { ...keywords, ...marksOf(inner) };
    // The name of a union is not the name of its variants.
    if (name !== undefined && !isUnion) {
      plain[markers.component] = name;
    }
    const base: Expanded = { alternatives: [[plain]], always: [plain], exclusive: false };
    const tag = readDiscriminator(discriminator);
    if (tag) {
      base.discriminator = tag;
    }
    const conjuncts = [base];
    const schemas: Schema[] = [true];
    if (Array.isArray(allOf)) {
      conjuncts.push(...allOf.map((member) => expand(member, inner)));
      schemas.push(...allOf);
    }
    const arms: Scope = {
      ...inner,
      variant: true,
      arm: true,
      unions: name === undefined ? inner.unions : [...inner.unions, name],
    };
    if (Array.isArray(anyOf)) {
      conjuncts.push(unite(anyOf, false, arms));
      schemas.push(unionOf(schema, 'anyOf', anyOf));
    }
    if (Array.isArray(oneOf)) {
      conjuncts.push(unite(oneOf, true, arms));
      schemas.push(unionOf(schema, 'oneOf', oneOf));
    }
    const whole = join(conjuncts, schemas, scope.apart && Array.isArray(allOf));
    if (!isVersion30 || nullable !== true) {
      return whole;
    }
    // Formally `nullable` has no effect without a type, but next to a union or allOf authors intend one.
    return { ...whole, alternatives: [...whole.alternatives, [{ type: 'null' }]] };
  }

  /** Union of a schema without its other keywords; equal for each call. */
  function unionOf(schema: JsonObject, keyword: 'anyOf' | 'oneOf', list: Json[]): Schema {
    const ofSchema = unions.get(schema) ?? new Map<string, Schema>();
    unions.set(schema, ofSchema);
    const union = ofSchema.get(keyword) ?? { [keyword]: list };
    ofSchema.set(keyword, union);
    return union;
  }

  function unite(list: readonly Schema[], exclusive: boolean, scope: Scope): Expanded {
    const expanded = list.map((member) => expand(member, scope));
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

  function join(expanded: readonly Expanded[], schemas: readonly Schema[], apart: boolean): Expanded {
    const conjuncts = expanded.map(
      ({ alternatives }, index): Conjunct => ({ alternatives, schema: schemas[index] ?? true }),
    );
    const { alternatives, uncombined } = combine(conjuncts, apart);
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

  function createForm(schema: Schema, apart: boolean): Form {
    const scope: Scope = { within: [], variant: false, arm: false, unions: [], apart };
    const { alternatives, always, exclusive, discriminator, uncombined } = expand(schema, scope);
    const split = alternatives.map((alternative) => partsOf(alternative, { isVersion30, intersect }));
    const first = (key: string): Json | undefined => always.find((plain) => plain[key] !== undefined)?.[key];
    const value = first('default');
    return {
      nullable: split.some(({ nullable }) => nullable),
      parts: withoutSharedNames(
        reduceParts(
          split.flatMap(({ parts }) => parts),
          exclusive,
        ),
      ),
      exclusive,
      ...(uncombined !== undefined && { uncombined }),
      ...(discriminator && { discriminator }),
      ...(value !== undefined && { default: value }),
      deprecated: first('deprecated') === true,
      readOnly: first('readOnly') === true,
      writeOnly: first('writeOnly') === true,
    };
  }

  return {
    ...references,
    identify: identityOf,
    form(schema, apart = false) {
      const cache = apart ? formsApart : forms;
      const key = identityOf(schema);
      let form = cache.get(key);
      if (form === undefined) {
        form = createForm(schema, apart);
        cache.set(key, form);
      }
      return form;
    },
  };
}

/** Variants that a component combines with another schema have its name, which does not distinguish them. */
function withoutSharedNames(parts: readonly Part[]): Part[] {
  const names = parts.flatMap(({ kind, name }) => (kind === 'object' && name !== undefined ? [name] : []));
  const shared = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return parts.map((part) => {
    const { name, ...rest } = part;
    return part.kind === 'object' && name !== undefined && shared.has(name) ? rest : part;
  });
}

function marksOf({ owner, variant, arm, unions }: Scope): JsonObject {
  return {
    [markers.arm]: arm,
    ...(owner !== undefined && { [markers.owner]: owner, [markers.variant]: variant }),
    ...(unions.length > 0 && { [markers.unions]: [...unions] }),
  };
}

function uncombinedIn(expanded: readonly Pick<Expanded, 'uncombined'>[]): Pick<Expanded, 'uncombined'> {
  const uncombined = expanded.flatMap((one) => one.uncombined ?? []).at(-1);
  return uncombined === undefined ? {} : { uncombined };
}

/** Whether a keyword does not affect the allowed values. */
export function isAnnotation(keyword: string): boolean {
  return (
    ['$ref', 'title', 'description', 'summary', 'example', 'examples'].includes(keyword) ||
    keyword.startsWith('x-')
  );
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
