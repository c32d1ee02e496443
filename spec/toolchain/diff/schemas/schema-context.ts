import type { JsonObject } from '../../document.ts';
import type { Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { Origin } from '../form/origin.ts';
import type { Direction } from '../rules/rule.ts';
import type { RuleId } from '../rules/rules.ts';

/** Context for comparing two schemas. Paths are relative to the schemas. */
export interface SchemaContext {
  base: FormReader;
  head: FormReader;
  direction: Direction;
  /** Whether values are text, as in parameters and headers, where 5 is also a string. */
  text: boolean;
  /** @param origin component that declares what changed, if it is not one of the schemas */
  report(rule: RuleId, path: string, message: string, origin?: Origin): void;
  /** Reports that the comparison of the schemas has bounded precision. */
  limit(message: string): void;
  /** Compares nested schemas. */
  compare(base: Schema, head: Schema, path: string, origin?: Origin): void;
  /** Whether all rules that a comparison in a direction reports, including nested schemas, pass a test. */
  everyRule(
    direction: Direction,
    run: (context: SchemaContext) => void,
    test: (rule: RuleId) => boolean,
  ): boolean;
}

/** Context for comparing two parts of the same kind. Paths are relative to the part. */
export interface PartContext extends Pick<SchemaContext, 'base' | 'head' | 'direction'> {
  /** @param declares whether a plain schema declares what changed; by default, any constraint */
  report(rule: RuleId, path: string, message: string, declares?: (plain: JsonObject) => boolean): void;
  /** @param declares whether a plain schema declares the nested schema */
  compare(base: Schema, head: Schema, path: string, declares: (plain: JsonObject) => boolean): void;
}
