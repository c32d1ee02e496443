/// <reference path="../js-yaml.d.ts" />

import { load, Schema, Type } from 'js-yaml';
import { isObject, type Json } from '../document.ts';

/**
 * Texts that the two parsers of YAML may read differently: tabs, directives, several documents, anchors, comments without
 * a space before them, keys that are collections, and unusual line ends.
 */
const UNCOMMON_TEXT =
  /[\t\uFEFF\u0085\u2028\u2029]|\r(?!\n)|^%|[^\s,[{(:=]["'\]}]#|(?:^|[\s:,[{-])&[^\s&]|^[ -]*\?(?:\s|$)|^(?=[^\n]*[\]}] *:(?:\s|$))(?:[^\n]*[\s,[{])?[[{]/m;

/** Keys of null, of merged objects, and of objects as keys. */
const UNCOMMON_KEYS = new Set(['null', '<<', '[object Object]']);

/** Scalars without quotes that are not text (YAML 1.2, Core Schema). */
const NULL = /^(?:~|[Nn]ull|NULL)?$/;
const BOOLEAN = /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/;
const NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/;
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
/** Beginning of all of these. */
const BEGINNING = /^(?:$|[-+.~\dntfNTF])/;

const SCALAR = new Type('tag:yaml.org,2002:scalar', {
  kind: 'scalar',
  resolve: (text) => text === null || scalarOf(text) !== text,
  construct: scalarOf,
});

const SCHEMA = new Schema({ implicit: [SCALAR], explicit: [] });

/** @param text of a scalar without quotes; null if there is none */
function scalarOf(text: string | null): Json {
  if (text === null || !BEGINNING.test(text)) {
    return text;
  }
  if (NUMBER.test(text)) {
    return Number(text);
  }
  if (BOOLEAN.test(text)) {
    return text.toLowerCase() === 'true';
  }
  if (NOT_FINITE.test(text)) {
    return Number(text.replace(/\.inf/i, 'Infinity').replace(/\.nan/i, 'NaN'));
  }
  return NULL.test(text) ? null : text;
}

/**
 * Reads YAML as most documents use it, with a parser that takes a sixth of the time of the complete one. Returns undefined
 * for texts that only the complete one reads, or reports errors of.
 */
export function readCommonYaml(text: string): Json | undefined {
  if (UNCOMMON_TEXT.test(text)) {
    return undefined;
  }
  try {
    const data = load(text, {
      schema: SCHEMA,
      onWarning: (warning) => {
        throw warning;
      },
    }) as Json | undefined;
    return isObject(data) && !hasUncommonKey(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function hasUncommonKey(value: Json): boolean {
  if (Array.isArray(value)) {
    return value.some(hasUncommonKey);
  }
  return (
    isObject(value) &&
    Object.keys(value).some((key) => UNCOMMON_KEYS.has(key) || hasUncommonKey(value[key] ?? null))
  );
}
