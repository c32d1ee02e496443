import { DEFAULT_STYLES, isLocation } from '../../../../server/contract/document.ts';
import { isObject, type JsonObject } from '../../document.ts';
import { readAs } from '../../media-types.ts';
import { atomsOf, type Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';

/** Serialization of a parameter, or of a field of a form. */
export interface Serialization {
  schema: Schema;
  /** Name of the notation; equal ones write the same values in the same way. */
  serialization: string;
  /** Whether the value can be a list or an object. */
  isComplex: boolean;
  /** Whether a media type describes it. */
  isMedia: boolean;
}

/** Notation of a value that is one text. */
export const PLAIN = 'plain';
/** Notation of a list that repeats its name. */
export const EXPLODED = 'form, exploded';

/** Returns the serialization of a parameter, without options that do not affect its types. */
export function serializationOf(parameter: JsonObject, reader: FormReader): Serialization {
  const { in: location, style: declaredStyle, explode: declaredExplode, schema = true, content } = parameter;
  const [media] = isObject(content) ? Object.entries(content) : [];
  if (media) {
    const [name, type] = media;
    return mediaSerialization(reader, name, isObject(type) ? (type.schema ?? true) : true);
  }
  const style = typeof declaredStyle === 'string' ? declaredStyle : defaultStyle(String(location));
  const explode = typeof declaredExplode === 'boolean' ? declaredExplode : style === 'form';
  const { notation, isComplex } = styled(reader, schema, style, explode);
  const isReserved =
    location === 'path' && (parameter['x-allow-reserved'] ?? parameter.allowReserved) === true;
  return {
    schema,
    serialization: `${notation}${isReserved ? ', with slashes' : ''}`,
    isComplex,
    isMedia: false,
  };
}

/** Returns the serialization in a media type. JSON writes numbers and booleans like any other notation. */
export function mediaSerialization(reader: FormReader, type: string, schema: Schema): Serialization {
  const types = atomsOf(reader.form(schema));
  const isComplex = types.has('array') || types.has('object');
  const isJson = readAs(type) === 'json';
  const isPlain = !isComplex && (isJson ? !types.has('string') : readAs(type) === 'text');
  return { schema, serialization: isPlain ? PLAIN : type.toLowerCase(), isComplex, isMedia: true };
}

/** Returns the notation of a style (OpenAPI 3.1, Style Values). */
export function styled(
  reader: FormReader,
  schema: Schema,
  style: string,
  explode: boolean,
): { notation: string; isComplex: boolean } {
  const types = atomsOf(reader.form(schema));
  const isComplex = types.has('array') || types.has('object');
  if (!isComplex) {
    // Values that are not arrays or objects contain no separators.
    return { notation: style === 'label' || style === 'matrix' ? style : PLAIN, isComplex };
  }
  // A list that is not exploded differs in the style `form` only from one that is; its names have brackets in deepObject.
  const hasNoEffect = style === 'deepObject' || (style === 'simple' && !types.has('object'));
  const isDelimited = style === 'spaceDelimited' || style === 'pipeDelimited';
  return {
    notation: hasNoEffect ? style : explode ? `${isDelimited ? 'form' : style}, exploded` : style,
    isComplex,
  };
}

const defaultStyle = (location: string): string => (isLocation(location) ? DEFAULT_STYLES[location] : 'form');
