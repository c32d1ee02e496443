import { encodedPath } from './percent-encoding.ts';

/** A path template of a contract, such as `/files/{base}...{head}`. */
export interface PathTemplate {
  segments: readonly TemplateSegment[];
  /** Names of the parameters, in their order. */
  names: readonly string[];
}

/** A segment of a path template: texts with a parameter between each two of them. */
export interface TemplateSegment {
  /** In the form of {@link encodedPath}. A single text is a segment without parameters. */
  texts: readonly string[];
  /** Whether the value of its only parameter may contain slashes (RFC 6570, section 3.2.3). */
  isReserved: boolean;
}

/**
 * Parses a path template.
 *
 * @param declared the declared parameters, and whether each has reserved expansion, as those written as `{+name}` also
 *   have. Others are permitted.
 * @throws Error with the reason why the template is not supported, which continues a sentence about the path
 */
export function parseTemplate(path: string, declared: ReadonlyMap<string, boolean> = NONE): PathTemplate {
  if (!path.startsWith('/')) {
    throw new Error('does not begin with a slash');
  }
  const mark = /[?#]/.exec(path.replaceAll(PARAMETER, ''))?.[0];
  if (mark !== undefined) {
    throw new Error(`contains ${mark}, which begins a part of a URL that no path has`);
  }
  const names: string[] = [];
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => parseSegment(segment, declared, names));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new Error(`contains the parameter ${repeated} more than once`);
  }
  return { segments, names };
}

const NONE: ReadonlyMap<string, boolean> = new Map();

const PARAMETER = /\{([^{}/]+)\}/g;

function parseSegment(
  segment: string,
  declared: ReadonlyMap<string, boolean>,
  names: string[],
): TemplateSegment {
  const texts: string[] = [];
  let isReserved = false;
  let end = 0;
  for (const { 0: braced, 1: expression = '', index } of segment.matchAll(PARAMETER)) {
    const parameter = parseExpression(expression, declared);
    if (texts.length > 0 && index === end) {
      throw new Error(
        `has no text before the parameter ${parameter.name}, so that no path shows where it begins`,
      );
    }
    texts.push(literal(segment.slice(end, index)));
    names.push(parameter.name);
    isReserved ||= parameter.isReserved;
    end = index + braced.length;
  }
  if (isReserved && texts.length > 1) {
    throw new Error('has a parameter with reserved expansion next to another one in a segment');
  }
  texts.push(literal(segment.slice(end)));
  return { texts, isReserved };
}

/** Reads `name`, `+name` (RFC 6570) or `name+`: some gateways mark a parameter of several segments like this. */
function parseExpression(
  expression: string,
  declared: ReadonlyMap<string, boolean>,
): { name: string; isReserved: boolean } {
  const plain = declared.get(expression);
  if (plain !== undefined) {
    return { name: expression, isReserved: plain };
  }
  const trailing = expression.slice(0, -1);
  if (expression.endsWith('+') && declared.has(trailing)) {
    return { name: trailing, isReserved: true };
  }
  if (/^[?&#;.]|^\+$|\*$/.test(expression)) {
    throw new Error(`has the expression {${expression}}, which is not supported`);
  }
  return expression.startsWith('+')
    ? { name: expression.slice(1), isReserved: true }
    : { name: expression, isReserved: false };
}

function literal(text: string): string {
  if (/[{}]/.test(text)) {
    throw new Error('has a brace that does not enclose a parameter');
  }
  return encodedPath(text);
}

/** Returns a text that templates share which match the same paths. */
export const templateKey = ({ segments }: PathTemplate): string =>
  segments.map(({ texts, isReserved }) => texts.join(isReserved ? '{+}' : '{}')).join('/');

/** Returns the number of characters of a segment outside of its parameters. */
export const textLength = ({ texts }: TemplateSegment): number =>
  texts.reduce((length, text) => length + text.length, 0);

/**
 * Matches a segment of a path, in linear time. A parameter has at least one character, and ends before the first
 * occurrence of the text that follows it, unless it is the last one.
 *
 * @returns the values of the parameters; undefined if the segment does not match
 */
export function matchSegment({ texts }: TemplateSegment, segment: string): string[] | undefined {
  const [first = '', ...others] = texts;
  const last = others.at(-1) ?? '';
  const end = segment.length - last.length;
  if (!segment.startsWith(first) || !segment.endsWith(last)) {
    return undefined;
  }
  const values: string[] = [];
  let start = first.length;
  for (const text of others.slice(0, -1)) {
    const next = segment.indexOf(text, start + 1);
    if (next < 0) {
      return undefined;
    }
    values.push(segment.slice(start, next));
    start = next + text.length;
  }
  return start < end ? [...values, segment.slice(start, end)] : undefined;
}
