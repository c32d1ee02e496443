import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject } from '../json-values.ts';
import { hierarchiesOf, schemaNameOf, schemaRef } from '../validation/hierarchies.ts';
import { type Direction, typeOf, variantsIn } from './example-value.ts';
import { type Html, html } from './html.ts';
import { markdown } from './markdown.ts';

/** Maximum nesting depth of properties on a documentation page. Deeper ones are on the pages of their models. */
export const MAX_FIELD_DEPTH = 3;
/** Maximum number of properties on a documentation page before nested ones are left to the pages of their models. */
export const MAX_PAGE_FIELDS = 400;

/** Maximum number of variants that the type of a union names on a documentation page. */
export const MAX_LISTED_VARIANTS = 6;

/** Renders schemas of a page. */
export interface FieldView {
  /** Renders the type of a schema, with links to models. */
  type(schema: unknown): Html;
  /** Renders what a schema allows apart from its type: constraints and values. */
  constraints(schema: unknown): Html;
  /** Renders the properties or the variants of a schema. */
  fields(schema: unknown, direction?: Direction): Html;
}

/** @param modelUrl returns the relative URL of the page of a model */
export const createFieldView = (document: OpenApiDocument, modelUrl: (name: string) => string): FieldView =>
  new PageFields(document, modelUrl);

class PageFields implements FieldView {
  readonly #document: OpenApiDocument;
  readonly #modelUrl: (name: string) => string;
  /** Number of properties on the page. */
  #count = 0;

  constructor(document: OpenApiDocument, modelUrl: (name: string) => string) {
    this.#document = document;
    this.#modelUrl = modelUrl;
  }

  type(declared: unknown): Html {
    const model = modelOf(declared);
    if (model !== undefined) {
      const base = typeOf(schemaOf(this.#document, declared));
      const isScalar = ['string', 'integer', 'number', 'boolean'].includes(base);
      return html`<a href="${this.#modelUrl(model)}">${model}</a>${isScalar && ` (${base})`}`;
    }
    const schema = schemaOf(this.#document, declared);
    const variants = variantsIn(this.#document, schema);
    if (variants.length > MAX_LISTED_VARIANTS) {
      return html`one of ${variants.length} types`;
    }
    if (variants.length > 0) {
      return joined(
        variants.map((variant) => this.type(variant)),
        ' | ',
        isNullable(this.#document, schema),
      );
    }
    // A reference with a description of its own, as OpenAPI 3.0 writes it.
    const composed = Array.isArray(schema.allOf) ? schema.allOf : [];
    if (composed.length === 1 && schema.properties === undefined) {
      return this.type(composed[0]);
    }
    const name = typeOf(schema) || (propertiesOf(this.#document, schema).length > 0 ? 'object' : '');
    const text =
      name === 'array'
        ? html`array of ${this.type(schema.items)}`
        : html`${name || (schema.const === undefined && !Array.isArray(schema.enum) ? 'any' : 'value')}${typeof schema.format === 'string' && ` (${schema.format})`}`;
    return joined([text], '', isNullable(this.#document, schema));
  }

  constraints(declared: unknown): Html {
    const schema = schemaOf(this.#document, declared);
    const items = schemaOf(this.#document, schema.items);
    const values =
      [schema.enum, items.enum].find(Array.isArray) ?? (schema.const === undefined ? [] : [schema.const]);
    // A reference can have constraints of its own, and both apply.
    const own = isObject(declared) && declared !== schema ? declared : {};
    const facts = [...factsOf({ ...schema, ...own }), ...rulesOf(schema), ...rulesOf(own)];
    return html`${
      values.length > 0 &&
      html`<p class="facts">Values: ${separated(values.map((value) => html`<code>${shown(value)}</code>`))}</p>`
    }${facts.length > 0 && html`<p class="facts">${separated(facts)}</p>`}`;
  }

  fields(declared: unknown, direction?: Direction): Html {
    const schema = schemaOf(this.#document, declared);
    return typeOf(schema) === 'array' && modelOf(declared) === undefined
      ? this.#content(schema.items, direction, [])
      : this.#content(declared, direction, []);
  }

  #field(
    name: string,
    declared: unknown,
    required: boolean,
    direction: Direction | undefined,
    parents: string[],
  ): Html {
    this.#count += 1;
    const schema = schemaOf(this.#document, declared);
    const description = isObject(declared) ? (declared.description ?? schema.description) : undefined;
    return html`<li>
<p class="name"><code>${name}</code> <span class="type">${this.type(declared)}</span>${
      required && html` <span class="required">required</span>`
    }${schema.deprecated === true && html` <span class="deprecated">deprecated</span>`}${
      schema.readOnly === true && direction === undefined && html` <span class="type">read-only</span>`
    }${schema.writeOnly === true && direction === undefined && html` <span class="type">write-only</span>`}</p>
${typeof description === 'string' && markdown(description)}${this.constraints(declared)}${this.#nested(declared, direction, parents)}</li>`;
  }

  /** Properties of the object, list or union that is the value of a field. */
  #nested(declared: unknown, direction: Direction | undefined, parents: string[]): Html {
    const schema = schemaOf(this.#document, declared);
    if (typeOf(schema) === 'array') {
      return this.#nested(schema.items, direction, parents);
    }
    const model = modelOf(declared);
    const isRepeated = model !== undefined && parents.includes(model);
    const hasFields = propertiesOf(this.#document, schema).length > 0 || this.#unions(declared).length > 0;
    if (!hasFields || isRepeated || parents.length >= MAX_FIELD_DEPTH || this.#count > MAX_PAGE_FIELDS) {
      return html``;
    }
    const inner = this.#content(declared, direction, parents);
    return inner.text === ''
      ? inner
      : html`<details><summary>${model === undefined ? 'Properties' : `Properties of ${model}`}</summary>${inner}</details>`;
  }

  #content(declared: unknown, direction: Direction | undefined, parents: string[]): Html {
    const schema = schemaOf(this.#document, declared);
    const below = [...parents, modelOf(declared) ?? ''];
    const hidden = direction === 'request' ? 'readOnly' : 'writeOnly';
    const properties = propertiesOf(this.#document, schema).filter(
      ({ schema: property }) =>
        direction === undefined || schemaOf(this.#document, property)[hidden] !== true,
    );
    const unions = this.#unions(declared)
      .map((variants) => variants.filter((variant) => this.#isShown(variant)))
      .filter((variants) => variants.length > 0);
    const other = schema.additionalProperties;
    return html`${
      properties.length > 0 &&
      html`<ul class="fields">${properties.map(({ name, schema: property, required }) =>
        this.#field(name, property, required, direction, below),
      )}</ul>`
    }${
      isObject(other) &&
      Object.keys(other).length > 0 &&
      html`<ul class="fields">${this.#field('any other name', other, false, direction, below)}</ul>`
    }${unions.map(
      (variants) =>
        html`<p class="facts">One of:</p><ul class="variants">${variants.map((variant) => {
          this.#count += 1;
          return html`<li>${this.type(variant)}${titleOf(variant)}${this.#nested(variant, direction, below)}</li>`;
        })}</ul>`,
    )}`;
  }

  /** Whether a variant has a page, or properties. */
  #isShown(variant: unknown): boolean {
    const schema = schemaOf(this.#document, variant);
    return (
      typeOf(schema) === 'object' ||
      modelOf(variant) !== undefined ||
      propertiesOf(this.#document, schema).length > 0 ||
      this.#unions(variant).length > 0
    );
  }

  /** Variants of a schema, of each part that it composes, and of a schema that others inherit from. */
  #unions(declared: unknown): unknown[][] {
    const model = modelOf(declared);
    const names = (model === undefined ? undefined : hierarchiesOf(this.#document).of(model))?.members ?? [];
    const inheriting = [...new Set(names.flatMap(({ targets }) => targets))]
      .filter((name) => name !== model)
      .map((name) => ({ $ref: schemaRef(name) }));
    const unions = unionsOf(this.#document, schemaOf(this.#document, declared));
    return inheriting.length > 0 ? [...unions, inheriting] : unions;
  }
}

/** The title of a schema that is not a model. */
const titleOf = (schema: unknown): Html =>
  isObject(schema) && typeof schema.title === 'string' ? html` ${schema.title}` : html``;

/** Returns the variants of a schema and of the parts that it composes, each union by itself. */
function unionsOf(
  document: OpenApiDocument,
  schema: Record<string, unknown>,
  composing = new Set<object>(),
): unknown[][] {
  if (composing.has(schema)) {
    return [];
  }
  composing.add(schema);
  const variants = variantsIn(document, schema);
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  const composed = parts.flatMap((part) => unionsOf(document, schemaOf(document, part), composing));
  return variants.length > 0 ? [variants, ...composed] : composed;
}

/** Properties of an object, including those of the schemas that it composes. */
function propertiesOf(
  document: OpenApiDocument,
  schema: Record<string, unknown>,
  composing = new Set<object>(),
): { name: string; schema: unknown; required: boolean }[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(isObject(schema.properties) ? schema.properties : {});
  // A schema that is composed repeatedly has the same properties.
  const parts = Array.isArray(schema.allOf) && !composing.has(schema) ? schema.allOf : [];
  composing.add(schema);
  const composed = parts.flatMap((part) => propertiesOf(document, schemaOf(document, part), composing));
  const all = [...composed, ...own.map(([name, property]) => ({ name, schema: property, required: false }))];
  const flagged = all.map((property) => ({
    ...property,
    required: property.required || required.includes(property.name),
  }));
  return [...new Map(flagged.map((property) => [property.name, property])).values()];
}

/** Name of the model that a schema refers to. */
const modelOf = (schema: unknown): string | undefined =>
  isObject(schema) && typeof schema.$ref === 'string' ? schemaNameOf(schema.$ref) : undefined;

function isNullable(document: OpenApiDocument, schema: Record<string, unknown>): boolean {
  const unions = [schema.oneOf, schema.anyOf].flatMap((union) => (Array.isArray(union) ? union : []));
  return (
    [schema.type].flat().includes('null') ||
    unions.some((variant) => schemaOf(document, variant).type === 'null')
  );
}

/** Limits and annotations of a value. */
function factsOf(schema: Record<string, unknown>): Html[] {
  const fact = (label: string, value: unknown): Html[] =>
    value === undefined ? [] : [html`${label} <code>${shown(value)}</code>`];
  const [example] = Array.isArray(schema.examples) ? schema.examples : [schema.example];
  return [
    ...fact('default', schema.default),
    ...fact('minimum', schema.minimum),
    ...fact('above', schema.exclusiveMinimum),
    ...fact('maximum', schema.maximum),
    ...fact('below', schema.exclusiveMaximum),
    ...fact('multiple of', schema.multipleOf),
    ...fact('minimum length', schema.minLength),
    ...fact('maximum length', schema.maxLength),
    ...fact('pattern', schema.pattern),
    ...fact('minimum items', schema.minItems),
    ...fact('maximum items', schema.maxItems),
    ...(schema.uniqueItems === true ? [html`unique items`] : []),
    ...fact('minimum properties', schema.minProperties),
    ...fact('maximum properties', schema.maxProperties),
    ...fact('example', example),
  ];
}

/** Returns the rule of a schema that JSON Schema cannot express. */
const rulesOf = ({ 'x-rule': rule }: Record<string, unknown>): Html[] =>
  typeof rule === 'string' ? [html`${rule}`] : [];

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const separated = (parts: readonly Html[]) => parts.map((part, index) => html`${index > 0 && ', '}${part}`);

function joined(parts: readonly Html[], separator: string, nullable: boolean): Html {
  const all = nullable ? [...parts, html`null`] : parts;
  return html`${all.map((part, index) => html`${index > 0 && (separator || ' | ')}${part}`)}`;
}
