import { formatPointer } from '../../../server/contract/json-values.ts';
import type { Json } from '../document.ts';
import type { Problem } from '../problem.ts';
import { count } from '../report/text.ts';
import type { Path } from './json-text.ts';
import { withoutByteOrderMark } from './parse.ts';
import { locate } from './places.ts';

/** Value in a file. */
export interface Origin {
  file: string;
  path: Path;
}

/** Problem of a value in a file. */
export interface LocalProblem extends Origin {
  severity: Problem['severity'];
  code: string;
  message: string;
}

/** Files that a document was read from, and where its objects were in them. */
export class Origins {
  readonly #texts = new Map<string, string>();
  readonly #origins = new WeakMap<object, Origin>();

  /** Files, in the order they were read. */
  get files(): string[] {
    return [...this.#texts.keys()];
  }

  /** Adds the only file. Its paths are those of the document. */
  addText(file: string, text: string): void {
    this.#texts.set(file, text);
  }

  /** Adds one of several files. */
  add(file: string, text: string, parsed: Json): void {
    this.addText(file, text);
    const pending: { value: Json; path: Path }[] = [{ value: parsed, path: [] }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { value, path } = next;
      // An alias of YAML is the object that it refers to.
      if (typeof value !== 'object' || value === null || this.#origins.has(value)) {
        continue;
      }
      this.#origins.set(value, { file, path });
      for (const [step, member] of Object.entries(value)) {
        pending.push({ value: member, path: [...path, step] });
      }
    }
  }

  /** Where a value is, from the objects around it in the document, outermost first, and the steps between them. */
  of(holders: readonly object[], steps: Path): Origin | undefined {
    for (let depth = holders.length - 1; depth >= 0; depth -= 1) {
      const holder = holders[depth];
      const origin = holder && this.#origins.get(holder);
      if (origin) {
        return { file: origin.file, path: [...origin.path, ...steps.slice(depth)] };
      }
    }
    return undefined;
  }

  /** Adds lines and columns to problems, and the JSON pointers of their values. */
  locate(all: readonly LocalProblem[], nameOf: (file: string) => string): Problem[] {
    const problems = withoutRepetitions(all);
    const places = new Map(
      this.files.flatMap((file) => {
        const paths = problems.filter((problem) => problem.file === file).map(({ path }) => path);
        const text = withoutByteOrderMark(this.#texts.get(file) ?? '');
        return paths.length === 0 ? [] : [...locate(text, paths)];
      }),
    );
    return problems.map(({ severity, code, message, file, path }) => ({
      severity,
      code,
      message: `#${formatPointer(path)}: ${message}`,
      file: nameOf(file),
      ...places.get(path),
    }));
  }
}

/** Most places that are reported with one warning. */
const MAX_PLACES = 5;

/** A document can contain the same deviation thousands of times. */
function withoutRepetitions(problems: readonly LocalProblem[]): LocalProblem[] {
  const counts = new Map<string, number>();
  for (const { severity, message } of problems) {
    counts.set(severity + message, (counts.get(severity + message) ?? 0) + 1);
  }
  const reported = new Map<string, number>();
  return problems.flatMap((problem) => {
    const key = problem.severity + problem.message;
    const number = (reported.get(key) ?? 0) + 1;
    reported.set(key, number);
    if (number > MAX_PLACES) {
      return [];
    }
    const more = (counts.get(key) ?? 0) - MAX_PLACES;
    return number === MAX_PLACES && more > 0
      ? [
          {
            ...problem,
            message: `${problem.message} (and at ${count(more, 'other place')})`,
          },
        ]
      : [problem];
  });
}
