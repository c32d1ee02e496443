import { customAlphabet } from 'nanoid';

/** The time now. Passed in, so that tests can turn it. */
export type Clock = () => Date;

/**
 * Makes a new id: the given prefix, an underscore and 20 random letters and digits (119 bits). The prefix
 * guarantees the letter that every id has, so that none can be taken for a number.
 */
export type MakeId = (prefix: string) => string;

const random = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 20);

/** The ids of a running server. */
export const makeId: MakeId = (prefix) => `${prefix}_${random()}`;
