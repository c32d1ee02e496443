import type { OpenApiDocument } from '../../document.ts';
import type { RawValue } from './raw-value.ts';
import {
  type Alternative,
  itemType,
  permitsList,
  permitsObject,
  permitsText,
  propertyType,
  type ValueType,
} from './value-type.ts';

/** Receives a fault of a value, or of the member at a path of names. */
export type ReportFault = (path: readonly string[], message: string) => void;

/** Pattern of JSON numbers. Stricter than `Number`, which accepts a space and 0x10. */
const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns whether a text is a number in range. */
export const isNumberText = (text: string) => NUMBER_TEXT.test(text) && Number.isFinite(Number(text));

/** Reads the values of a document. */
export class ValueReader {
  readonly #document: OpenApiDocument;
  readonly #report: ReportFault;

  constructor(document: OpenApiDocument, report: ReportFault) {
    this.#document = document;
    this.#report = report;
  }

  /**
   * Converts texts to the declared type. A text of another type is not converted, which validation rejects.
   *
   * @param path names of the members that contain the value, for faults
   */
  read(raw: RawValue, type: ValueType, path: readonly string[]): unknown {
    if (raw.json) {
      return raw.json.value;
    }
    const { texts, members } = raw;
    if (members) {
      if (isListOfMembers(raw, members, type)) {
        return this.#list(listOf(raw, members), type, path);
      }
      if (texts.length > 0) {
        this.#report(path, 'must not have both a value and properties');
        return undefined;
      }
      return this.object(members, type, path);
    }
    const [text = ''] = texts;
    if (texts.length !== 1) {
      if (type.kinds && !permitsList(type)) {
        this.#report(path, 'must not be repeated');
        return undefined;
      }
      return this.#list(texts.map(ofText), type, path);
    }
    if (!permitsList(type)) {
      return this.#scalar(text, type, path);
    }
    if (permitsText(type)) {
      const value = this.#scalar(text, type, path);
      if (type.accepts(value)) {
        return value;
      }
    }
    return this.#list([ofText(text)], type, path);
  }

  #list(items: readonly RawValue[], type: ValueType, path: readonly string[]): unknown[] {
    return items.map((item, index) =>
      this.read(item, itemType(this.#document, type, index), [...path, String(index)]),
    );
  }

  /** Converts the properties of an object. */
  object(members: ReadonlyMap<string, RawValue>, type: ValueType, path: readonly string[]): object {
    const alternatives = closestOf(type, members);
    const object: Record<string, unknown> = {};
    for (const [name, member] of members) {
      // A member without a readable text has a fault.
      if (!member.json && !member.members && member.texts.length === 0) {
        continue;
      }
      object[name] = this.read(member, propertyType(this.#document, alternatives, name), [...path, name]);
    }
    return object;
  }

  #scalar(text: string, type: ValueType, path: readonly string[]): unknown {
    const { kinds } = type;
    if (!kinds) {
      return text;
    }
    const candidates = this.#candidates(text, kinds, path);
    if (!kinds.has('string')) {
      return candidates.length === 0 ? text : candidates[0];
    }
    // A number that is written like the text loses nothing, unlike that of 007.
    const lossless = candidates.filter((candidate) => String(candidate) === text);
    const value = lossless.find((candidate) => type.accepts(candidate));
    return value === undefined ? text : value;
  }

  /** Returns the values of other types that a text can represent. */
  #candidates(text: string, kinds: ReadonlySet<string>, path: readonly string[]): unknown[] {
    if ((kinds.has('number') || kinds.has('integer')) && isNumberText(text)) {
      const number = Number(text);
      if (kinds.has('number') || isExact(text, number)) {
        return [number];
      }
      if (!kinds.has('string')) {
        this.#report(path, 'must be an integer that a number represents exactly (up to 9007199254740991)');
      }
      return [];
    }
    if (kinds.has('boolean') && (text === 'true' || text === 'false')) {
      return [text === 'true'];
    }
    return kinds.has('null') && text === '' ? [null] : [];
  }
}

const ofText = (text: string): RawValue => ({ texts: [text], members: undefined });

/** Returns whether an integer is not rounded. */
const isExact = (text: string, number: number) =>
  Number.isSafeInteger(number) || !/^-?\d+$/.test(text) || BigInt(text) === BigInt(number);

const INDEX = /^\d{1,9}$/;

/** Returns whether all members are items of a list. */
function isListOfMembers(
  { texts }: RawValue,
  members: ReadonlyMap<string, RawValue>,
  type: ValueType,
): boolean {
  const canBeList = permitsList(type) || !type.kinds;
  return (
    canBeList &&
    (texts.length === 0 || !permitsObject(type)) &&
    [...members.keys()].every((name) => INDEX.test(name))
  );
}

/** Returns the items of a list in the order of their indexes, and then those without one. */
function listOf({ texts }: RawValue, members: ReadonlyMap<string, RawValue>): RawValue[] {
  const indexed = [...members].sort(([one], [other]) => Number(one) - Number(other));
  return [...indexed.map(([, member]) => member), ...texts.map(ofText)];
}

/** Points for the resemblance of an object to an alternative; the higher, the closer. */
const POINTS = { tag: 100, otherTag: -1000, known: 2, unknown: -3, missing: -1 };

/** Returns the alternatives that an object resembles most. Its values are read once, whatever the number of alternatives. */
function closestOf(type: ValueType, members: ReadonlyMap<string, RawValue>): readonly Alternative[] {
  const objects = type.alternatives.filter(({ kinds }) => !kinds || kinds.has('object'));
  if (objects.length < 2) {
    return objects;
  }
  const points = objects.map((alternative) => resemblance(alternative, members));
  const best = Math.max(...points);
  return objects.filter((_alternative, index) => points[index] === best);
}

function resemblance(
  { properties, required, additional, fixed }: Alternative,
  members: ReadonlyMap<string, RawValue>,
): number {
  let points = 0;
  for (const [name, { texts }] of members) {
    const values = fixed().get(name);
    if (!properties.has(name)) {
      points += additional === false ? POINTS.unknown : 0;
    } else if (values) {
      points += texts.length === 1 && values.has(texts[0] ?? '') ? POINTS.tag : POINTS.otherTag;
    } else {
      points += POINTS.known;
    }
  }
  return points + required.filter((name) => !members.has(name)).length * POINTS.missing;
}
