/** The bodies of the pages that are computed from a specification, as markdown. */
import { Slugs } from '../markdown/slug.ts';
import { collapse } from '../repository/text.ts';
import { asObject } from './json.ts';
import type { OperationsPage } from './operations.ts';
import { printOperation } from './print-operation.ts';
import { printSchema } from './print-schema.ts';
import { describe, type SchemaContext } from './schema.ts';
import { modelsOf, resolveObject } from './specification.ts';
import { blocks, code, codeBlock, description, escapeText } from './text.ts';

/**
 * The longest body, in UTF-16 units: reading so much as a document takes about two seconds, once for each version.
 * What does not fit is named, not told.
 */
export const MAX_COMPUTED_PAGE_CHARACTERS = 300_000;
const MOST_NAMES = 1000;

/** A page of operations: each under a heading of its own. */
export function printOperations(context: SchemaContext, page: OperationsPage): string {
  return printSections(
    description(page.description, 1),
    page.operations.map((operation) => ({
      name: `${operation.method} ${operation.path}`,
      print: () => printOperation(context, operation),
    })),
  );
}

/** The page of the data models: each under a heading of its own. */
export function printModels(context: SchemaContext): string {
  const models = Object.entries(modelsOf(context.document));
  return printSections(
    '',
    models.map(([name, schema]) => ({ name, print: () => printModel(context, name, schema) })),
  );
}

function printModel(context: SchemaContext, name: string, schema: unknown): string {
  const fields = resolveObject(context.document, schema);
  const { type, properties } = printSchema(context, schema);
  const facts = describe(context, { ...fields, description: undefined, example: undefined });
  const example = fields.example === undefined ? '' : (JSON.stringify(fields.example, null, 2) ?? '');
  return blocks(
    `## ${escapeText(name)}`,
    description(asObject(schema).description ?? fields.description),
    [`Type: ${type}.`, facts].filter((part) => part !== '').join(' '),
    properties,
    example !== '' && example.length < 8000 && codeBlock(example, 'json'),
  );
}

/** The anchors of data models on their page, by name. */
export function modelAnchors(document: SchemaContext['document']): Map<string, string> {
  const slugs = new Slugs();
  return new Map(Object.keys(modelsOf(document)).map((name) => [name, slugs.of(collapse(name))]));
}

function printSections(start: string, sections: ReadonlyArray<{ name: string; print(): string }>): string {
  const parts = [start];
  let length = start.length;
  for (const [at, { print }] of sections.entries()) {
    const section = print();
    length += section.length;
    if (length > MAX_COMPUTED_PAGE_CHARACTERS && at > 0) {
      parts.push(...printRest(sections.slice(at).map(({ name }) => name)));
      break;
    }
    parts.push(section);
  }
  return `${blocks(...parts)}\n`;
}

function printRest(names: readonly string[]): string[] {
  const shown = names.slice(0, MOST_NAMES).map((name) => `* ${code(name)}`);
  return [
    '## Not shown here',
    `The page would be too long with ${names.length === 1 ? 'one more' : `${names.length} more`}; the specification itself holds all of them.`,
    shown.join('\n'),
  ];
}
