import type { AnySchema } from '../../model/schema/schema.ts';
import { isKnownFormat } from '../../model/schema/strings.ts';

/** Extension of a schema with a rule for its values that JSON Schema cannot express, as a sentence. */
const RULE_EXTENSION = 'x-rule';

/**
 * Formats with values that are valid only in a certain state: URLs refer to other resources, times may have to be
 * future.
 */
const STATE_DEPENDENT_FORMATS = new Set(['uri', 'date-time']);

/**
 * Returns whether values have to follow a rule that JSON Schema does not define: one in words (`x-rule`), a format that
 * the contract names, or a language of their own (JSON Schema 2020-12, `contentMediaType`). A server may reject values
 * that are valid for the schema.
 */
export const hasFurtherRule = (schema: AnySchema): boolean =>
  typeof schema === 'object' &&
  (schema[RULE_EXTENSION] !== undefined ||
    schema.contentMediaType !== undefined ||
    (typeof schema.format === 'string' && !isKnownFormat(schema.format)));

/** Returns whether the validity of a value depends on more than its schema. */
export const dependsOnMore = (schema: AnySchema): boolean =>
  hasFurtherRule(schema) || (typeof schema === 'object' && STATE_DEPENDENT_FORMATS.has(schema.format ?? ''));
