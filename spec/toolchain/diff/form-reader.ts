import { BadInput } from '../bad-input.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import type { Source } from '../source.ts';
import { canonical } from './canonical.ts';
import { componentName, type Form, isAny, isNothing, type Schema } from './form.ts';
import { type Alternative, partsOf, reduceParts } from './parts.ts';
import { createReferences, type References } from './references.ts';

/** Reads the schemas of one document. */
export interface FormReader extends References {
  /** What a schema allows, in normal form; computed once for each schema. */
  form(schema: Schema): Form;
}

/** What is left of a schema once references are followed and unions are multiplied out. */
interface Expanded {
  /** Each is a list of plain schemas that a value matches together. */
  alternatives: Alternative[];
  /** The plain schemas that hold for every value, the outermost first: annotations are read from them. */
  always: JsonObject[];
  exclusive: boolean;
  discriminator?: Form['discriminator'];
}

/** More alternatives than any person writes by hand; past it, a schema is too tangled to be multiplied out. */
const mostAlternatives = 512;

/** A reader of the schemas of a document. Forms are lazy: the schemas within objects and arrays stay as they are. */
export function createFormReader(source: Source): FormReader {
  const references = createReferences(source);
  // 3.0 says null by a keyword of its own, and takes no keywords beside a reference.
  const old = /^3\.0/.test(String(source.root.openapi));
  const forms = new Map<number | string, Form>();
  const merged = new Map<string, Schema>();
  const members = new Map<Schema, Schema[]>();

  /**
   * One schema for what several demand together; the same one each time, and never one made of one made before, so
   * that recursive schemas come back to where they were.
   */
  function intersect(schemas: readonly Schema[]): Schema {
    const flat = schemas.flatMap((schema) => members.get(schema) ?? [schema]);
    const distinct = new Map(
      flat.filter((schema) => !isAny(schema)).map((schema) => [String(identityOf(schema)), schema]),
    );
    const [only, ...more] = distinct.values();
    if (only === undefined) return true;
    if (more.length === 0) return only;
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
      isObject(schema) && typeof schema.$ref === 'string' && (old || Object.keys(schema).every(saysNothing));
    return references.identify(bare ? references.follow(schema) : schema);
  }

  function expand(schema: Schema, within: readonly Json[]): Expanded {
    if (isNothing(schema)) return { alternatives: [], always: [], exclusive: false };
    if (!isObject(schema)) return { alternatives: [[]], always: [], exclusive: false };
    // A schema that is a part of itself adds nothing to what is demanded already.
    if (within.includes(schema)) return { alternatives: [[]], always: [], exclusive: false };
    const inner = [...within, schema];
    if (typeof schema.$ref === 'string') {
      const target = expand(references.follow(schema), inner);
      const { $ref, ...beside } = schema;
      if (old || Object.keys(beside).length === 0) return target;
      return join([expand(beside, inner), target]);
    }
    const { allOf, anyOf, oneOf, nullable, discriminator, ...own } = schema;
    // A union is not what its variants are called.
    const name = anyOf === undefined && oneOf === undefined ? references.nameOf(schema) : undefined;
    const plain: JsonObject = name === undefined ? own : { ...own, [componentName]: name };
    const base: Expanded = { alternatives: [[plain]], always: [plain], exclusive: false };
    const tells = readDiscriminator(discriminator);
    if (tells) base.discriminator = tells;
    const conjuncts = [base];
    if (Array.isArray(allOf)) conjuncts.push(...allOf.map((member) => expand(member, inner)));
    if (Array.isArray(anyOf)) conjuncts.push(unite(anyOf, false, inner));
    if (Array.isArray(oneOf)) conjuncts.push(unite(oneOf, true, inner));
    const whole = join(conjuncts);
    if (!old || nullable !== true) return whole;
    // Without a type the keyword says nothing by the letter; who writes it beside a union or allOf means this.
    return { ...whole, alternatives: [...whole.alternatives, [{ type: 'null' }]] };
  }

  function unite(members: readonly Schema[], exclusive: boolean, within: readonly Json[]): Expanded {
    const expanded = members.map((member) => expand(member, within));
    const [only, ...more] = expanded.filter(({ alternatives }) => !alternatives.every(isNull));
    return {
      alternatives: expanded.flatMap(({ alternatives }) => alternatives),
      // What the only member says beside null holds for every value.
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
    if (alternatives.length > mostAlternatives) {
      throw new BadInput(
        `${source.name} has a schema with more than ${mostAlternatives} variants once its unions are multiplied out. ` +
          'Write it with fewer unions within allOf.',
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

  function makeForm(schema: Schema): Form {
    const { alternatives, always, exclusive, discriminator } = expand(schema, []);
    const split = alternatives.map((alternative) => partsOf(alternative, { old, intersect }));
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
        form = makeForm(schema);
        forms.set(key, form);
      }
      return form;
    },
  };
}

/** Whether a keyword beside a reference leaves what is allowed as it is. */
function saysNothing(keyword: string): boolean {
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
  if (!isObject(value) || typeof value.propertyName !== 'string') return undefined;
  const mapping = isObject(value.mapping) ? Object.entries(value.mapping) : [];
  return {
    property: value.propertyName,
    names: new Map(mapping.map(([tag, target]) => [tag, String(target).replace(/^.*\//, '')])),
  };
}
