import { badRequest } from '../contract/errors.ts';

/**
 * A time of a request. The contract lets through leap seconds, which no `Date` has, and offsets that lead out of
 * the years 0 to 9999, whose ISO text would not sort as times do.
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
  if (text === undefined) return undefined;
  const time = new Date(text);
  const year = time.getUTCFullYear();
  if (year >= 0 && year <= 9999) return time;
  const message = 'must be a time without a leap second, in the years 0 to 9999';
  throw badRequest(`The request does not fit the contract: ${field.path} ${message}.`, [
    { ...field, message },
  ]);
}
