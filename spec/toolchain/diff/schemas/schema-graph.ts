import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import { joinPaths, type Origin } from '../form/origin.ts';
import type { RuleId } from '../rules/rules.ts';

/** Difference of two schemas, apart from their nested schemas. */
export interface Finding {
  rule: RuleId;
  /** Location within the schema. */
  path: string;
  message: string;
  /** Component that declares the part, if it is not the schema itself. */
  origin?: Origin;
}

/** Nested schemas that are compared. */
interface Edge {
  pair: Pair;
  path: string;
  origin?: Origin;
}

/** Two schemas that are compared, with their differences. */
export interface Pair {
  base: Schema;
  head: Schema;
  /** Name of the component that both schemas are. */
  name?: string;
  findings: Finding[];
  /** Why its comparison is less precise. */
  limitations: string[];
  nested: Edge[];
  /** Pairs that contain this one. */
  parents: Pair[];
  /** Whether its own findings are complete. */
  filled: boolean;
  /** Whether the findings of all nested pairs are complete. */
  settled: boolean;
  /** Whether it or a nested pair has findings. */
  differs: boolean;
}

/** Receives the differences of a pair and its nested pairs. */
export interface Collector {
  find(finding: Finding): void;
  limit(message: string): void;
  compare(base: Schema, head: Schema, path: string, origin?: Origin): void;
}

/** Compares pairs of schemas of two documents, each once, although many operations contain them. */
export interface SchemaGraph {
  /** Returns a pair after comparing it and all nested pairs. */
  compare(base: Schema, head: Schema): Pair;
  /** Whether all findings of a comparison that is not of two schemas, such as of two variants, pass a test. */
  everyFinding(run: (collector: Collector) => void, test: (finding: Finding) => boolean): boolean;
}

/**
 * Creates a graph of compared schemas.
 * @param isSame whether two schemas have no differences at first sight, in nested schemas too
 * @param expand finds the differences of two schemas, apart from nested schemas
 */
export function createSchemaGraph(
  readers: { base: FormReader; head: FormReader },
  isSame: (base: Schema, head: Schema) => boolean,
  expand: (base: Schema, head: Schema, collector: Collector) => void,
): SchemaGraph {
  const pairs = new Map<string, Pair>();
  const unknown = { filled: false, settled: false, differs: false };
  const equal = { filled: true, settled: true, differs: false };

  function pairOf(base: Schema, head: Schema): Pair {
    const key = `${readers.base.identify(base)} ${readers.head.identify(head)}`;
    let pair = pairs.get(key);
    if (pair === undefined) {
      const name = sharedName(readers, base, head);
      pair = {
        base,
        head,
        ...(name !== undefined && { name }),
        findings: [],
        limitations: [],
        nested: [],
        parents: [],
        ...(isSame(base, head) ? equal : unknown),
      };
      pairs.set(key, pair);
    }
    return pair;
  }

  /** Finds the differences of a pair, apart from nested pairs. */
  function fill(pair: Pair, run: (collector: Collector) => void): void {
    pair.filled = true;
    run({
      find(finding) {
        // Variants can share what changed.
        if (!pair.findings.some((other) => isDeepStrictEqual(other, finding))) {
          pair.findings.push(finding);
        }
      },
      limit(message) {
        pair.limitations.push(message);
      },
      compare(base, head, path, origin) {
        const nested = pairOf(base, head);
        nested.parents.push(pair);
        pair.nested.push({ pair: nested, path, ...(origin && { origin }) });
      },
    });
  }

  /** Fills a pair and the pairs that it contains, one by one, apart from those that are skipped. */
  function* reach(root: Pair, isSkipped: (pair: Pair) => boolean): Generator<Pair> {
    const reached = new Set([root]);
    for (const pair of reached) {
      if (isSkipped(pair)) {
        continue;
      }
      if (!pair.filled) {
        fill(pair, (collector) => expand(pair.base, pair.head, collector));
      }
      yield pair;
      for (const { pair: nested } of pair.nested) {
        reached.add(nested);
      }
    }
  }

  return {
    compare(base, head) {
      const root = pairOf(base, head);
      settle([...reach(root, ({ settled }) => settled)]);
      return root;
    },
    everyFinding(run, test) {
      const root: Pair = {
        base: true,
        head: true,
        findings: [],
        limitations: [],
        nested: [],
        parents: [],
        ...unknown,
      };
      fill(root, run);
      const isEqual = ({ settled, differs }: Pair) => settled && !differs;
      return reach(root, isEqual).every(({ findings }) => findings.every(test));
    },
  };
}

/** Marks complete pairs, and those of them with findings in them or in nested pairs. */
function settle(pairs: readonly Pair[]): void {
  const different = pairs.filter(
    ({ findings, nested }) => findings.length > 0 || nested.some(({ pair }) => pair.differs),
  );
  for (const pair of different) {
    if (!pair.differs) {
      pair.differs = true;
      different.push(...pair.parents);
    }
  }
  for (const pair of pairs) {
    pair.settled = true;
  }
}

/** Component that both schemas are: with the same name, or renamed. */
function sharedName(
  { base: before, head: after }: { base: FormReader; head: FormReader },
  base: Schema,
  head: Schema,
): string | undefined {
  const [name, other] = [componentOf(before, base), componentOf(after, head)];
  const isRenamed = name !== undefined && other !== undefined && !after.hasSchema(name);
  return name === other || isRenamed ? name : undefined;
}

/** Name of the component that a schema is; a reference with constraints or annotations next to it is none. */
function componentOf(reader: FormReader, schema: Schema): string | undefined {
  const target = reader.follow(schema);
  return reader.identify(schema) === reader.identify(target) ? reader.nameOf(target) : undefined;
}

/** Receives the findings and limitations of different pairs. */
export interface Visitor {
  change(finding: Finding, path: string, origin: Origin | undefined): void;
  limitation(message: string, path: string, origin: Origin | undefined): void;
}

/** Visits the findings of a pair and its nested pairs, each pair once at its outermost location. */
export function visitFindings(root: Pair, { change, limitation }: Visitor): void {
  const seen = new Set([root]);
  const queue: { pair: Pair; path: string; origin?: Origin }[] = [{ pair: root, path: '' }];
  for (const { pair, path, origin } of queue) {
    if (!pair.differs) {
      continue;
    }
    const own = pair.name === undefined ? origin : { schema: pair.name, path: '' };
    const originAt = (declared: Origin | undefined, inner: string) =>
      declared ?? (own && { schema: own.schema, path: joinPaths(own.path, inner) });
    for (const finding of pair.findings) {
      change(finding, joinPaths(path, finding.path), originAt(finding.origin, finding.path));
    }
    for (const message of pair.limitations) {
      limitation(message, path, own);
    }
    for (const { pair: nested, path: inner, origin: declared } of pair.nested) {
      if (seen.has(nested)) {
        continue;
      }
      seen.add(nested);
      const outer = originAt(declared, inner);
      queue.push({ pair: nested, path: joinPaths(path, inner), ...(outer && { origin: outer }) });
    }
  }
}
