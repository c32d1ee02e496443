import type { components } from '../../../../generated/schema.d.ts';
import { lazily } from '../../../contract/lazily.ts';
import { type CheckValue, compileSchema } from '../../../contract/validation/schema-check.ts';
import { type Flag, type JsonText, writeJson } from '../../../database/json.ts';
import { readContract } from '../contract-document.ts';

/** What an export or an import does with a value, besides copying it. */
export type FieldRole =
  /** Identifies the row in the service: must be unused, or is replaced by a new ID. */
  | 'id'
  /** Hash of bytes, which are exported with it. */
  | 'bytes'
  /** Hash of the root object of some content, which is exported with it. */
  | 'content'
  /** The key of a block of a page, which depends on its text. */
  | 'block'
  /** A value that is unique in the service. Null if another organization has it. */
  | 'claim'
  /** IDs in it are not replaced. */
  | 'verbatim';

/** How the value of a column is represented in a record, whose properties have the names of the columns. */
export interface Field<Stored> {
  readonly toRecord: (stored: Stored) => unknown;
  /** Returns undefined for a value that the column cannot have. */
  readonly toStored: (value: unknown) => Stored | undefined;
  readonly role?: FieldRole;
  /** The value until everything else is imported, if others could see the resource with its own. */
  readonly heldAs?: Stored;
}

/** What new values are created from. */
export interface FreshSource {
  createId(prefix: string): string;
  secretKey: string;
  /** ID of the new row. */
  id: string;
}

/** A column that the database maintains. */
export const MAINTAINED = { isMaintained: true } as const;
/** A column with a value that does not travel, such as a secret: each import creates a new one. */
export const CREATED = { isCreated: true } as const;

const same = <Stored>(isValid: (value: unknown) => value is Stored): Field<Stored> => ({
  toRecord: (stored) => stored,
  toStored: (value) => (isValid(value) ? value : undefined),
});

/** A text. */
export const text = same((value): value is string => typeof value === 'string');

/** An integer. */
export const integer = same((value): value is number => Number.isSafeInteger(value));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time in UTC with milliseconds. */
export const time = same((value): value is string => typeof value === 'string' && TIME.test(value));

/** The ID of the row, which a prefix and an underscore start. */
export const id: Field<string> = {
  ...same((value): value is string => typeof value === 'string' && /^[a-z]+_\w+$/.test(value)),
  role: 'id',
};

const HASH = /^[\w-]{43}$/;
const hash = same((value): value is string => typeof value === 'string' && HASH.test(value));

/** The hash of bytes that the row refers to. */
export const bytesHash: Field<string> = { ...hash, role: 'bytes' };
/** The hash of content that the row refers to. */
export const contentHash: Field<string> = { ...hash, role: 'content' };
/** The key of a block of a page. */
export const blockKey: Field<string> = { ...text, role: 'block' };
/** A text in which IDs are not replaced, because it is hashed, or written by others. */
export const verbatim: Field<string> = { ...text, role: 'verbatim' };

/** A boolean. */
export const flag: Field<Flag> = {
  toRecord: (stored) => stored === 1,
  toStored: (value) => (typeof value === 'boolean' ? (value ? 1 : 0) : undefined),
};

/** A value by which others could see the resource before it is complete. */
export const held = <Stored>(field: Field<Stored>, heldAs: Stored): Field<Stored> => ({ ...field, heldAs });

/** Names of the schemas of the contract whose values are texts. */
type TextSchema = {
  [Name in keyof components['schemas']]: components['schemas'][Name] extends string ? Name : never;
}[keyof components['schemas']];

/** A value of an enumeration of the contract. Does not compile if it differs from that of the column. */
export function enumeration<Name extends TextSchema>(name: Name): Field<components['schemas'][Name]> {
  const check: () => CheckValue = lazily(() =>
    compileSchema(readContract(), { $ref: `#/components/schemas/${name}` }),
  );
  return same((value): value is components['schemas'][Name] => check()(value).length === 0);
}

/** One of some texts. */
export const oneOf = <const Values extends readonly string[]>(...values: Values): Field<Values[number]> =>
  same((value): value is Values[number] => values.some((allowed) => allowed === value));

/** JSON, which a record contains as such. */
export const json = <T>(shape: 'object' | 'array', role?: FieldRole): Field<JsonText<T>> => ({
  toRecord: (stored) => JSON.parse(stored),
  toStored: (value) => {
    const isShape =
      typeof value === 'object' && value !== null && Array.isArray(value) === (shape === 'array');
    // The format of the folder describes the properties of these values, as the database does.
    return isShape ? writeJson(value as T) : undefined;
  },
  ...(role && { role }),
});

/** A value that may be null. */
export const optional = <Stored>({ toRecord, toStored, role }: Field<Stored>): Field<Stored | null> => ({
  ...(role && { role }),
  toRecord: (stored) => (stored === null ? null : toRecord(stored)),
  toStored: (value) => (value === null ? null : toStored(value)),
});

/** A value that is unique in the service. */
export const claim: Field<string | null> = { ...optional(text), role: 'claim', heldAs: null };
