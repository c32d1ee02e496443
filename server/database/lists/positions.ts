/*
 * Positions of siblings as text: the digits of a fraction between 0 and 1 in base 62, in an order that sorts as text.
 * There is a position between any two, so moving an item changes only that item.
 */

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RADIX = 62n;
/** Number of digits used at the ends of a list. */
const WIDTH = 6;
/** Distance of a new item from the first or last one. Leaves room between them, and for 7 million items at each end. */
const STEP = RADIX ** 2n;

/**
 * Returns a position after `before` and before `after`, where null is the start or the end of the list. Call it in the
 * transaction that read the two siblings, so that no other item gets the same position.
 *
 * @throws RangeError if a position is invalid or `before` is not before `after`
 * @example between(null, null); between(lastSibling.position, null)
 */
export function between(before: string | null, after: string | null): string {
  for (const position of [before, after]) {
    if (position !== null && !/^[0-9A-Za-z]*[1-9A-Za-z]$/.test(position)) {
      throw new RangeError(`${JSON.stringify(position)} is not a valid position.`);
    }
  }
  if (before !== null && after !== null && before >= after) {
    throw new RangeError(`Invalid order: ${before} is not before ${after}.`);
  }
  for (let width = Math.max(WIDTH, before?.length ?? 0, after?.length ?? 0); ; width++) {
    const whole = RADIX ** BigInt(width);
    const low = before === null ? 0n : toNumber(before, width);
    const high = after === null ? whole : toNumber(after, width);
    // Fixed steps at the ends keep positions short. Halving the remaining range would add digits quickly.
    const step = STEP * RADIX ** BigInt(width - WIDTH);
    if (before !== null && after === null && low + step < high) {
      return toPosition(low + step, width);
    }
    if (before === null && after !== null && high - step > low) {
      return toPosition(high - step, width);
    }
    if (high - low > 1n) {
      return toPosition((low + high) / 2n, width);
    }
  }
}

function toNumber(position: string, width: number): bigint {
  let number = 0n;
  for (const digit of position.padEnd(width, '0')) {
    number = number * RADIX + BigInt(DIGITS.indexOf(digit));
  }
  return number;
}

function toPosition(number: bigint, width: number): string {
  let position = '';
  for (let rest = number; position.length < width; rest /= RADIX) {
    position = DIGITS[Number(rest % RADIX)] + position;
  }
  return position.replace(/0+$/, '');
}
