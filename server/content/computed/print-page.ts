/** Prints the bodies of the pages that are computed from a specification, as Markdown. */
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
 * Maximum length of the body of a computed page, in UTF-16 units. Reading that much as a document takes about two
 * seconds, once per version. Sections beyond the limit are only named.
 */
export const MAX_COMPUTED_PAGE_CHARACTERS = 300_000;
const MAX_OMITTED_NAMES = 1000;

/** Prints a page of operations, each under its own heading. */
export function printOperations(context: SchemaContext, page: OperationsPage): string {
  return printSections(
    description(page.description, 1),
    page.operations.map((operation) => ({
      name: `${operation.method} ${operation.path}`,
      print: () => printOperation(context, operation),
    })),
  );
}

/** Prints the page of data models, each under its own heading. */
export function printModels(context: SchemaContext): string {
  const models = Object.entries(modelsOf(context.document));
  return printSections(
    '',
    models.map(([name, schema]) => ({ name, print: () => printModel(context, name, schema) })),
  );
}

/** Prints the section of a data model, under a second-level heading. */
export function printModel(context: SchemaContext, name: string, schema: unknown): string {
  const fields = resolveObject(context.document, schema);
  const { type, properties } = printSchema(context, schema);
  const constraints = describe(context, { ...fields, description: undefined, example: undefined });
  const example = fields.example === undefined ? '' : (JSON.stringify(fields.example, null, 2) ?? '');
  return blocks(
    `## ${escapeText(name)}`,
    description(asObject(schema).description ?? fields.description),
    [`Type: ${type}.`, constraints].filter((part) => part !== '').join(' '),
    properties,
    example !== '' && example.length < 8000 && codeBlock(example, 'json'),
  );
}

/** Returns the anchors of data models on their page, by name. */
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
      parts.push(...printOmitted(sections.slice(at).map(({ name }) => name)));
      break;
    }
    parts.push(section);
  }
  return `${blocks(...parts)}\n`;
}

function printOmitted(names: readonly string[]): string[] {
  const shown = names.slice(0, MAX_OMITTED_NAMES).map((name) => `* ${code(name)}`);
  return [
    '## Omitted',
    `The length of a page is limited. ${names.length} more ${names.length === 1 ? 'entry is' : 'entries are'} only named here. The specification contains all details.`,
    shown.join('\n'),
  ];
}
