import { _, type CodeKeywordDefinition, str } from 'ajv';

/** A number as an integer times a power of ten: the shortest decimal text that is the same number. */
interface Decimal {
  /** Significant digits; without a fraction. */
  digits: string;
  exponent: number;
}

/**
 * Creates a function that returns whether a number is a multiple of another one, by their decimal texts: 19.99 is a
 * multiple of 0.01, although the binary numbers are not (JSON Schema 2020-12, Validation, section 6.2.1).
 *
 * @param divisor a number greater than 0
 */
function multipleCheck(divisor: number): (value: number) => boolean {
  const factor = decimalOf(divisor);
  const decimals = Math.max(0, -factor.exponent);
  const power = 10 ** decimals;
  const integer = Number(scaledBy(factor, factor.exponent + decimals));
  // Integers and powers of ten in this range are exact, and so are the quotients of those with few digits.
  const isSmall = decimals <= MAX_EXACT_POWER && integer < MAX_EXACT_INTEGER;
  return (value) => {
    const scaled = Math.round(value * power);
    if (isSmall && Math.abs(scaled) < MAX_EXACT_INTEGER) {
      return scaled / power === value && scaled % integer === 0;
    }
    return Number.isFinite(value) && isMultiple(decimalOf(value), factor);
  };
}

/** Maximum exponent of a power of ten that a number represents exactly. */
const MAX_EXACT_POWER = 22;
/** Integers below this limit have at most 15 digits, which identify a number. */
const MAX_EXACT_INTEGER = 1e15;

function isMultiple(value: Decimal, divisor: Decimal): boolean {
  const exponent = Math.min(value.exponent, divisor.exponent);
  const [scaledValue, scaledDivisor] = [value, divisor].map((decimal) =>
    BigInt(scaledBy(decimal, decimal.exponent - exponent)),
  );
  return scaledValue !== undefined && scaledDivisor !== undefined && scaledValue % scaledDivisor === 0n;
}

const scaledBy = ({ digits }: Decimal, zeros: number) => digits + '0'.repeat(zeros);

function decimalOf(value: number): Decimal {
  // `1.5e-7` or `-12.34`
  const [mantissa = '', exponent = '0'] = Math.abs(value).toString().split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  return {
    digits: integer + fraction,
    exponent: Number(exponent) - fraction.length,
  };
}

const NUMBER_PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,9}))?$/;

/**
 * Returns whether a number of a JSON text is an integer that becomes another one when it is parsed, such as
 * 9007199254740993. An integer with the digits that a number is printed with, such as 12345678901234567000, is not: it
 * is printed again as it was sent.
 */
export function isRounded(text: string): boolean {
  const value = Number(text);
  const [, integer, fraction = '', power = '0'] = NUMBER_PARTS.exec(text) ?? [];
  if (integer === undefined || Number.isSafeInteger(value) || !Number.isInteger(value)) {
    return integer !== undefined && !Number.isFinite(value);
  }
  const sent = reduced({ digits: integer + fraction, exponent: Number(power) - fraction.length });
  const printed = reduced(decimalOf(value));
  if (sent.exponent < 0 || (sent.digits === printed.digits && sent.exponent === printed.exponent)) {
    return false;
  }
  return BigInt(scaledBy(sent, sent.exponent)) !== BigInt(Math.abs(value));
}

/** Returns a decimal without zeros at the beginning and the end of its digits. */
function reduced({ digits, exponent }: Decimal): Decimal {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === '0') {
    end -= 1;
  }
  let start = 0;
  while (start < end - 1 && digits[start] === '0') {
    start += 1;
  }
  return { digits: digits.slice(start, end), exponent: exponent + digits.length - end };
}

/** Returns whether an integer is printed with its own digits: 2^62 is printed as 4611686018427388000. */
function isPrintedExactly(value: number): boolean {
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) {
    return true;
  }
  const printed = decimalOf(value);
  return BigInt(scaledBy(printed, printed.exponent)) === BigInt(Math.abs(value));
}

/** The keyword `multipleOf`, which Ajv computes with binary numbers. */
export const MULTIPLE_OF: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: { message: ({ schemaCode }) => str`must be multiple of ${schemaCode}` },
  code: (cxt) => {
    const { gen, data, schema } = cxt;
    const isMultiple = gen.scopeValue('func', { ref: multipleCheck(schema) });
    cxt.fail(_`!${isMultiple}(${data})`);
  },
};

/** A keyword of responses: an integer is printed with its own digits. */
export const PRINTED_EXACTLY = 'x-printed-exactly';

/** The definition of {@link PRINTED_EXACTLY}. */
export const PRINTED_EXACTLY_KEYWORD: CodeKeywordDefinition = {
  keyword: PRINTED_EXACTLY,
  type: 'number',
  schemaType: 'boolean',
  error: {
    message: 'must not be an integer that JSON would round: declare a string for integers above 2^53',
  },
  code: (cxt) => {
    const { gen, data } = cxt;
    cxt.fail(_`!${gen.scopeValue('func', { ref: isPrintedExactly })}(${data})`);
  },
};
