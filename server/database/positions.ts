/*
 * Places among siblings as text: a fraction between 0 and 1, written after the point in base 62 with digits that
 * sort as text. Between any two there is always another, so moving a thing rewrites that thing alone.
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = 62n;
/** Digits that are worked with at the ends of a list. */
const WIDTH = 6;
/** How far a thing is put from the one at the end: leaves room between them, and room for 7 million at an end. */
const STEP = BASE ** 2n;

/**
 * A place after `before` and before `after`; null stands for the start or the end of the list. Call it in the
 * transaction that read the two neighbours, so that no one else takes the same place.
 *
 * @throws RangeError when a place is malformed or `before` is not before `after`.
 * @example between(null, null); between(lastSibling.position, null)
 */
export function between(before: string | null, after: string | null): string {
  for (const place of [before, after]) {
    if (place !== null && !/^[0-9A-Za-z]*[1-9A-Za-z]$/.test(place)) {
      throw new RangeError(`${JSON.stringify(place)} is no place in a list.`);
    }
  }
  if (before !== null && after !== null && before >= after) {
    throw new RangeError(`There is nothing between ${before} and ${after}: the first does not come first.`);
  }
  for (let width = Math.max(WIDTH, before?.length ?? 0, after?.length ?? 0); ; width++) {
    const whole = BASE ** BigInt(width);
    const low = before === null ? 0n : toNumber(before, width);
    const high = after === null ? whole : toNumber(after, width);
    // Growing from an end in steps keeps places short: halving what is left would add a digit every few times.
    const step = STEP * BASE ** BigInt(width - WIDTH);
    if (before !== null && after === null && low + step < high) return toPlace(low + step, width);
    if (before === null && after !== null && high - step > low) return toPlace(high - step, width);
    if (high - low > 1n) return toPlace((low + high) / 2n, width);
  }
}

function toNumber(place: string, width: number): bigint {
  let number = 0n;
  for (const digit of place.padEnd(width, '0')) number = number * BASE + BigInt(DIGITS.indexOf(digit));
  return number;
}

function toPlace(number: bigint, width: number): string {
  let place = '';
  for (let rest = number; place.length < width; rest /= BASE) place = DIGITS[Number(rest % BASE)] + place;
  return place.replace(/0+$/, '');
}
