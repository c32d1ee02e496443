import { fieldInvalid } from '../../errors/errors.ts';

/**
 * Parses a time of a request. The contract allows leap seconds and offsets such as `+05`, which `Date` does not
 * support, and offsets that lead out of the years 0 to 9999, whose ISO text does not sort chronologically.
 *
 * @throws ContractError 400 for such a time
 */
export function readTime<Text extends string | undefined>(
  text: Text,
  field: { in: 'query' | 'body'; path: string },
): Text extends string ? Date : Date | undefined;
export function readTime(
  text: string | undefined,
  field: { in: 'query' | 'body'; path: string },
): Date | undefined {
  if (text === undefined) {
    return undefined;
  }
  // RFC 3339 allows a space as separator. With one, `Date` reads the year 0001 as 2001.
  const time = new Date(text.replace(/\s/, 'T'));
  const year = time.getUTCFullYear();
  if (year >= 0 && year <= 9999) {
    return time;
  }
  const message =
    'must be a time without a leap second, in the years 0 to 9999, with Z or an offset such as +01:00';
  throw fieldInvalid(field.path, message, field.in);
}
