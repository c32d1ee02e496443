import type { OpenApiDocument, ParameterObject } from '../../document.ts';
import { DEFAULT_STYLES } from '../../document.ts';
import { isJsonType } from '../../media-types.ts';
import { type Decode, INVALID_ENCODING } from './decode.ts';
import { addJson } from './json-text.ts';
import { memberOf, type RawValue } from './raw-value.ts';
import { addSeparated, type Separation, separationOf, splitPair } from './separation.ts';
import {
  isMap,
  permitsList,
  permitsObject,
  permitsText,
  propertyNames,
  type ValueType,
  valueType,
} from './value-type.ts';

/** Description of a field. */
interface FieldOptions {
  name: string;
  style: string;
  explode: boolean;
  type: ValueType;
  /** Media type of the text, if it is described by one. */
  mediaType?: string | undefined;
  /** Whether an object, or each object of a list, may be sent as JSON as well. */
  permitsJson?: boolean;
}

/** A parameter, or a field of a form, and how it is written (OpenAPI 3.1, Style Values). */
export class Field {
  readonly name: string;
  readonly type: ValueType;
  readonly style: string;
  /** Whether each item or property is written separately. */
  readonly explode: boolean;
  /** Whether the value is a text in a media type: JSON, or any other one. */
  readonly content: 'json' | 'text' | undefined;
  /** Names of the declared properties. */
  readonly properties: ReadonlySet<string>;
  readonly #separation: Separation | undefined;
  readonly #permitsJson: boolean;

  constructor(
    document: OpenApiDocument,
    { name, style, explode, type, mediaType, permitsJson = false }: FieldOptions,
  ) {
    this.name = name;
    this.style = style;
    this.explode = explode;
    this.type = type;
    this.properties = propertyNames(type);
    this.content = mediaType === undefined ? undefined : isJsonType(mediaType) ? 'json' : 'text';
    this.#separation = this.content ? undefined : separationOf(document, this);
    this.#permitsJson = permitsJson && !permitsText(type);
  }

  /** Whether a text of the field can contain several items or properties. */
  get isSeparated(): boolean {
    return this.#separation !== undefined;
  }

  /** Whether the properties of an object are fields of their own. */
  get isExplodedObject(): boolean {
    return this.content === undefined && this.explode && !this.hasBrackets && permitsObject(this.type);
  }

  /** Whether an exploded object has properties of any name. */
  get isExplodedMap(): boolean {
    return this.isExplodedObject && isMap(this.type);
  }

  /** Whether the properties of an object, or the items of a list, have brackets in their names. */
  get hasBrackets(): boolean {
    return this.content === undefined && this.style === 'deepObject';
  }

  /**
   * Adds a text that is sent with the name of the field.
   *
   * @returns why it cannot be read, or undefined
   */
  add(raw: RawValue, text: string, decode: Decode): string | undefined {
    if (this.#separation) {
      return addSeparated(raw, this, this.#separation, text, decode);
    }
    const decoded = decode(text);
    if (decoded === undefined) {
      return INVALID_ENCODING;
    }
    if (this.content === 'json') {
      return addJson(raw, decoded);
    }
    if (this.#permitsJson && /^[[{]/.test(decoded)) {
      return addJson(permitsList(this.type) ? memberOf(raw, String(raw.members?.size ?? 0)) : raw, decoded);
    }
    raw.texts.push(decoded);
    return undefined;
  }

  /**
   * Adds the text of a path parameter, which has a prefix in some styles.
   *
   * @returns why it cannot be read, or undefined
   */
  addInPath(raw: RawValue, text: string, decode: Decode): string | undefined {
    if (this.content === undefined && this.style === 'label') {
      return text.startsWith('.') ? this.add(raw, text.slice(1), decode) : 'must start with a dot';
    }
    if (this.content !== undefined || this.style !== 'matrix') {
      return this.add(raw, text, decode);
    }
    const values: string[] = [];
    for (const part of text.startsWith(';') ? text.slice(1).split(';') : ['']) {
      const [name = '', value = ''] = splitPair(part);
      const isNamed = decode(name) === this.name;
      if (!isNamed && (!this.isExplodedObject || part === '')) {
        return `must start with ;${this.name}=`;
      }
      values.push(this.isExplodedObject ? part : value);
    }
    return this.add(raw, values.join(';'), decode);
  }

  /** Returns the value of an empty text, for a parameter that permits one; undefined if it is like an absent parameter. */
  emptyValue(): { value: unknown } | undefined {
    const value = EMPTY_VALUES.find((candidate) => this.type.accepts(candidate));
    return value === undefined ? undefined : { value };
  }
}

/** The values of a name without a text, such as the flag `?pretty`. */
const EMPTY_VALUES = ['', true, null, []] as const;

/** Returns the field of a parameter. */
export function parameterField(document: OpenApiDocument, parameter: ParameterObject): Field {
  const { name, in: location, style = DEFAULT_STYLES[location], explode = style === 'form' } = parameter;
  const [mediaType] = Object.keys(parameter.content ?? {});
  const type = valueType(document, parameterSchema(parameter));
  return new Field(document, { name, style, explode, type, mediaType });
}

/** Returns the field of a parameter that is not declared: a text. */
export const textField = (document: OpenApiDocument, name: string): Field =>
  new Field(document, { name, style: 'simple', explode: false, type: valueType(document, undefined) });

/** Returns the schema of a parameter: its own, or that of its content. */
export const parameterSchema = ({ schema, content }: ParameterObject): unknown =>
  content ? Object.values(content)[0]?.schema : schema;
