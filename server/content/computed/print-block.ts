/** Prints the parts of a specification that blocks of other pages refer to, as Markdown. */
import type { JsonObject } from './json.ts';
import { operationsOf } from './operations.ts';
import { printOperation } from './print-operation.ts';
import { printModel } from './print-page.ts';
import type { SchemaContext } from './schema.ts';
import { modelsOf } from './specification.ts';
import { blocks } from './text.ts';

/** Part of a specification. */
export type SpecificationPart =
  /** An operation, or a webhook: its path is its name. */
  | { method: string; path: string; webhook: boolean }
  /** Data models by their names; without names, all. */
  | { models: readonly string[] | undefined };

/** Returns the Markdown of a part; undefined if the specification has no such part. */
export function printPart(document: JsonObject, part: SpecificationPart): string | undefined {
  // The models of the specification have no page that the part could link to.
  const context: SchemaContext = { document, urlOf: () => undefined };
  if ('models' in part) {
    const models = Object.entries(modelsOf(document)).filter(([name]) => part.models?.includes(name) ?? true);
    return models.length === 0
      ? undefined
      : blocks(...models.map(([name, schema]) => printModel(context, name, schema)));
  }
  const method = part.method.toUpperCase();
  const operation = operationsOf({ version: '', document }).find(
    (candidate) =>
      candidate.path === part.path &&
      candidate.webhook === part.webhook &&
      (method === '' || candidate.method === method),
  );
  return operation && printOperation(context, operation);
}
