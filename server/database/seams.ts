import { customAlphabet } from 'nanoid';

/** Returns the current time. Passed in, so that tests can control it. */
export type Clock = () => Date;

/**
 * Creates a new ID: the prefix, an underscore and 20 random letters and digits (119 bits). The prefix ensures that no
 * ID can be parsed as a number.
 */
export type CreateId = (prefix: string) => string;

const random = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 20);

/** Creates random IDs. */
export const createId: CreateId = (prefix) => `${prefix}_${random()}`;
