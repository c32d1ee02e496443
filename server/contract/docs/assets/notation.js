// Writes parameters and fields of forms in the notation that a contract declares. Samples (`../samples.ts`) and the forms
// of the pages (`request.js`) both use it.

/**
 * How a parameter, or a field of a form, is written.
 * @typedef {object} Notation
 * @property {'path' | 'query' | 'header' | 'cookie' | 'body'} in location; `body` for fields of forms
 * @property {string} name
 * @property {string} [style] style of OpenAPI. Without it, objects have names in brackets, and lists repeat their name
 * @property {boolean} [explode] whether each item or property is written separately
 * @property {boolean} [reserved] whether reserved characters are not encoded
 * @property {string} [type] media type of the value, instead of a style
 */

/** Separators of the values that are one text. */
const SEPARATORS = new Map([
  ['spaceDelimited', ' '],
  ['pipeDelimited', '|'],
]);

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null;
/** @param {unknown} value */
const isAbsent = (value) => value === undefined || value === null;
/** @param {string} type */
export const isJson = (type) => /^application\/json\s*(;|$)|\+json\s*(;|$)/i.test(type);

/**
 * Encodes a part of a URL. Brackets and braces are always encoded: curl would expand them.
 * @param {unknown} part
 * @param {boolean} [reserved]
 */
const encode = (part, reserved = false) =>
  reserved
    ? encodeURI(String(part)).replace(/[&#+?]/g, encodeURIComponent)
    : encodeURIComponent(String(part));

/**
 * Returns the text of a value in its media type.
 * @param {string} type
 * @param {unknown} value
 */
const textIn = (type, value) =>
  isJson(type) || isObject(value) ? JSON.stringify(value) : String(value ?? '');

/**
 * Returns the encoded names and values of a parameter of a query, a cookie, or a field of a URL-encoded form.
 * @param {Notation} notation
 * @param {unknown} value
 * @returns {[name: string, text: string][]}
 * @throws {Error} for a value that contains the separator of its style
 */
export function pairsOf({ name, style = '', explode = style === '', reserved = false, type }, value) {
  if (isAbsent(value)) {
    return [];
  }
  const encodedName = encode(name);
  if (type !== undefined) {
    return [[encodedName, encode(textIn(type, value), reserved)]];
  }
  if (!isObject(value)) {
    return [[encodedName, encode(value, reserved)]];
  }
  if (style === '' || style === 'deepObject') {
    return bracketed(encodedName, value, reserved, style === 'deepObject');
  }
  if (!explode) {
    const separator = SEPARATORS.get(style) ?? ',';
    const text = joined(name, value, {
      separator: separator === ',' ? ',' : encode(separator),
      equals: undefined,
      encodePart: (part) => encode(part, reserved && separator !== ','),
    });
    return text === '' ? [] : [[encodedName, text]];
  }
  return Array.isArray(value)
    ? bracketed(encodedName, value, reserved, false)
    : Object.entries(Object(value)).flatMap(([key, member]) =>
        bracketed(encode(key), member, reserved, false),
      );
}

/**
 * Writes objects with names in brackets, and lists with the indexes of their items, or with repeated names.
 * @param {string} name encoded
 * @param {unknown} value
 * @param {boolean} reserved
 * @param {boolean} isIndexed whether the items of lists have their index
 * @returns {[name: string, text: string][]}
 */
function bracketed(name, value, reserved, isIndexed) {
  if (isAbsent(value)) {
    return [];
  }
  if (!isObject(value)) {
    return [[name, encode(value, reserved)]];
  }
  return Object.entries(Object(value)).flatMap(([key, member]) =>
    bracketed(
      Array.isArray(value) && !isIndexed && !isObject(member) ? name : `${name}%5B${encode(key)}%5D`,
      member,
      reserved,
      true,
    ),
  );
}

/**
 * Joins the items of a list, or the names and values of an object.
 * @param {string} name of the parameter, for the error
 * @param {unknown} value
 * @param {{ separator: string, equals: string | undefined, encodePart: (part: unknown) => string }} options
 *   `equals` separates a name from its value; the separator, if undefined
 */
function joined(name, value, { separator, equals = separator, encodePart }) {
  /** @param {unknown} part */
  const one = (part) => {
    const text = encodePart(part);
    if (isObject(part) || text.includes(separator)) {
      throw new Error(`${name} has a value that its style cannot express: ${JSON.stringify(part)}`);
    }
    return text;
  };
  return Object.entries(Object(value))
    .filter(([, member]) => !isAbsent(member))
    .map(([key, member]) => (Array.isArray(value) ? one(member) : one(key) + equals + one(member)))
    .join(separator);
}

/**
 * Returns the text of a path parameter.
 * @param {Notation} notation
 * @param {unknown} value
 * @throws {Error} for a value that a path cannot contain
 */
export function pathText({ name, style = 'simple', explode = false, reserved = false, type }, value) {
  if (type !== undefined) {
    return encode(textIn(type, value), reserved);
  }
  const isMatrix = style === 'matrix';
  const isLabel = style === 'label';
  const isNamed = isMatrix && !(explode && isObject(value) && !Array.isArray(value));
  const prefix = isMatrix ? (isNamed ? `;${encode(name)}=` : ';') : isLabel ? '.' : '';
  const separator = explode && isObject(value) ? { matrix: prefix, label: '.' }[style] : undefined;
  /** @param {unknown} part */
  const encodePart = (part) =>
    separator === '.'
      ? encode(part, reserved).replaceAll('.', '%2E')
      : encode(part, reserved && !isObject(value));
  const text = isObject(value)
    ? joined(name, value, { separator: separator ?? ',', equals: explode ? '=' : undefined, encodePart })
    : encodePart(value ?? '');
  if (text === '' || /(^|\/)(\.|%2e){1,2}($|\/)/i.test(prefix + text)) {
    throw new Error(`${name} must not be empty, and no segment . or .., which URLs resolve.`);
  }
  return prefix + text;
}

/**
 * Returns the text of a header, which is not encoded. JSON is in ASCII.
 * @param {Notation} notation
 * @param {unknown} value
 * @throws {Error} for a value that contains the separator of its style
 */
export function headerText({ name, explode = false, type }, value) {
  if (type !== undefined) {
    return textIn(type, value).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }
  return isObject(value)
    ? joined(name, value, { separator: ',', equals: explode ? '=' : undefined, encodePart: String })
    : String(value ?? '');
}

/**
 * Returns the parts of a field of `multipart/form-data`: one for each item of a list, unless the list is JSON.
 * @param {Notation} notation
 * @param {unknown} value
 * @returns {{ text: string, type: string | undefined }[]}
 */
export function partsOf({ type }, value) {
  const items = Array.isArray(value) && !(type !== undefined && isJson(type)) ? value : [value];
  return items
    .filter((item) => item !== undefined)
    .map((item) => {
      const own = type ?? (isObject(item) ? 'application/json' : undefined);
      return { text: own === undefined ? String(item ?? '') : textIn(own, item), type: own };
    });
}

/**
 * Fills a path template with the texts of its parameters.
 * @param {string} template with names in braces
 * @param {(name: string) => string | undefined} textOf
 */
export const fillPath = (template, textOf) =>
  template.replace(/\{([^{}/]+)\}/g, (expression, name) => textOf(name) ?? expression);
