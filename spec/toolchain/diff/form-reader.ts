import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { canonical } from './canonical.ts';
import { componentName, type Form, isAny, isNever, type Schema } from './form.ts';
import { type Alternative, partsOf } from './parts.ts';
import { reduceParts } from './reduce-parts.ts';
import { createReferences, type References } from './references.ts';

/** Reader of a document's schemas. */
export interface FormReader extends References {
  /** Normal form of a schema; cached. */
  form(schema: Schema): Form;
}

/** Schema with resolved references and expanded unions. */
interface Expanded {
  /** Each alternative is a list of plain schemas, all of which a value must match. */
  alternatives: Alternative[];
  /** Plain schemas that apply to all values, outermost first; they provide the annotations. */
  always: JsonObject[];
  exclusive: boolean;
  discriminator?: Form['discriminator'];
}

/** Largest number of alternatives of a schema after expanding its unions. */
const MAX_ALTERNATIVES = 512;

/** Creates the reader of a document's schemas. Forms are lazy: nested schemas stay unchanged. */
export function createFormReader(source: Source): FormReader {
  const references = createReferences(source);
  // OpenAPI 3.0 has the keyword `nullable`, and ignores keywords next to a reference.
  const isVersion30 = /^3\.0/.test(String(source.root.openapi));
  const forms = new Map<number | string, Form>();
  const merged = new Map<string, Schema>();
  const members = new Map<Schema, Schema[]>();

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
      (isVersion30 || Object.keys(schema).every(isAnnotation));
    return references.identify(bare ? references.follow(schema) : schema);
  }

  function expand(schema: Schema, within: readonly Json[]): Expanded {
    if (isNever(schema)) {
      return { alternatives: [], always: [], exclusive: false };
    }
    if (!isObject(schema)) {
      return { alternatives: [[]], always: [], exclusive: false };
    }
    // A schema within itself adds no constraints.
    if (within.includes(schema)) {
      return { alternatives: [[]], always: [], exclusive: false };
    }
    const inner = [...within, schema];
    if (typeof schema.$ref === 'string') {
      const target = expand(references.follow(schema), inner);
      const { $ref, ...siblings } = schema;
      if (isVersion30 || Object.keys(siblings).length === 0) {
        return target;
      }
      return join([expand(siblings, inner), target]);
    }
    const { allOf, anyOf, oneOf, nullable, discriminator, ...keywords } = schema;
    // The name of a union is not the name of its variants.
    const name = anyOf === undefined && oneOf === undefined ? references.nameOf(schema) : undefined;
    const plain: JsonObject = name === undefined ? keywords : { ...keywords, [componentName]: name };
    const base: Expanded = { alternatives: [[plain]], always: [plain], exclusive: false };
    const tag = readDiscriminator(discriminator);
    if (tag) {
      base.discriminator = tag;
    }
    const conjuncts = [base];
    if (Array.isArray(allOf)) {
      conjuncts.push(...allOf.map((member) => expand(member, inner)));
    }
    if (Array.isArray(anyOf)) {
      conjuncts.push(unite(anyOf, false, inner));
    }
    if (Array.isArray(oneOf)) {
      conjuncts.push(unite(oneOf, true, inner));
    }
    const whole = join(conjuncts);
    if (!isVersion30 || nullable !== true) {
      return whole;
    }
    // Formally `nullable` has no effect without a type, but next to a union or allOf authors intend one.
    return { ...whole, alternatives: [...whole.alternatives, [{ type: 'null' }]] };
  }

  function unite(members: readonly Schema[], exclusive: boolean, within: readonly Json[]): Expanded {
    const expanded = members.map((member) => expand(member, within));
    const [only, ...more] = expanded.filter(({ alternatives }) => !alternatives.every(isNull));
    return {
      alternatives: expanded.flatMap(({ alternatives }) => alternatives),
      // The constraints of the only member besides null apply to all values.
      always: only !== undefined && more.length === 0 ? only.always : [],
      exclusive: exclusive || expanded.some((member) => member.exclusive),
      ...(only?.discriminator && more.length === 0 && { discriminator: only.discriminator }),
    };
  }

  function join(conjuncts: readonly Expanded[]): Expanded {
    const alternatives = conjuncts.reduce<Alternative[]>(
      (left, { alternatives: right }) => left.flatMap((one) => right.map((other) => [...one, ...other])),
      [[]],
    );
    if (alternatives.length > MAX_ALTERNATIVES) {
      throw new UsageError(
        `${source.name} has a schema with more than ${MAX_ALTERNATIVES} variants after expanding its unions. ` +
          'Use fewer unions within allOf.',
      );
    }
    const discriminator = conjuncts.find((conjunct) => conjunct.discriminator)?.discriminator;
    return {
      alternatives,
      always: conjuncts.flatMap(({ always }) => always),
      exclusive: conjuncts.some(({ exclusive }) => exclusive),
      ...(discriminator && { discriminator }),
    };
  }

  function createForm(schema: Schema): Form {
    const { alternatives, always, exclusive, discriminator } = expand(schema, []);
    const split = alternatives.map((alternative) => partsOf(alternative, { isVersion30, intersect }));
    const first = (key: string): Json | undefined => always.find((plain) => plain[key] !== undefined)?.[key];
    const value = first('default');
    return {
      nullable: split.some(({ nullable }) => nullable),
      parts: reduceParts(
        split.flatMap(({ parts }) => parts),
        exclusive,
      ),
      exclusive,
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
    form(schema) {
      const key = identityOf(schema);
      let form = forms.get(key);
      if (form === undefined) {
        form = createForm(schema);
        forms.set(key, form);
      }
      return form;
    },
  };
}

/** Whether a keyword does not affect the allowed values. */
function isAnnotation(keyword: string): boolean {
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
