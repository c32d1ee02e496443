import { fullFormats } from 'ajv-formats/dist/formats.js';
import { escapeToken } from '../../../server/contract/json-values.ts';
import { OWN_FORMATS } from '../../../server/contract/validation/formats.ts';
import { isObject, type OpenApiDocument } from '../document.ts';
import { grammarOf, type Kind, type Rule } from '../documents/grammar.ts';
import type { Problem } from '../problem.ts';

/** Members that contain data only, in addition to the members with a form in the grammar. */
const DATA: Partial<Record<Kind, readonly string[]>> = {
  document: ['openapi', 'tags', 'externalDocs', 'jsonSchemaDialect'],
  operation: ['externalDocs'],
  parameter: ['$ref', 'example'],
  header: ['$ref', 'example'],
  requestBody: ['$ref'],
  response: ['$ref'],
  mediaType: ['example'],
  pathItem: ['$ref'],
  schema: [
    ...['$ref', '$comment', 'type', 'enum', 'const', 'default', 'example', 'examples', 'required'],
    ...['dependentRequired', 'discriminator', 'externalDocs'],
    // Operations with these are not served, which is reported with the reason.
    ...['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$schema'],
  ],
};

/** Members that have no effect on types, client and server. */
const IGNORED: Partial<Record<Kind, readonly string[]>> = {
  document: ['webhooks'],
  components: ['links', 'callbacks'],
  operation: ['callbacks', 'servers'],
  pathItem: ['servers'],
  response: ['links'],
  encoding: ['headers'],
  schema: ['nullable', 'definitions', 'contentSchema'],
};

/** Kinds of objects with members that describe a contract. */
const DESCRIPTIVE: ReadonlySet<Rule> = new Set(['info', 'server', 'link', 'securityScheme']);

/** Formats that validators check, and those that only describe a value. */
const FORMATS: ReadonlySet<string> = new Set([
  ...Object.keys(fullFormats),
  ...Object.keys(OWN_FORMATS),
  ...['binary', 'float', 'double', 'password'],
]);

/**
 * Reports what a document contains and types, client and server ignore: members that OpenAPI does not define or that have
 * no effect, and unknown formats, each with its location as a JSON pointer (RFC 6901). What the server refuses is reported
 * by `unsupportedOperations`.
 */
export function unhandledFeatures(document: OpenApiDocument): Problem[] {
  const grammar = grammarOf('3.1');
  const problems: Problem[] = [];
  const report = (pointer: string, problem: string) =>
    problems.push({
      severity: 'error',
      code: 'unhandled-feature',
      message:
        `#${pointer} ${problem}, which is not supported: types or validation would ignore it. ` +
        'Express it differently in the contract.',
    });

  function follow(value: unknown, rule: Rule, pointer: string): void {
    if (typeof rule === 'string') {
      // Other rules are scalars.
      if (Object.hasOwn(grammar, rule) && !DESCRIPTIVE.has(rule)) {
        visit(value, rule as Kind, pointer);
      }
      return;
    }
    const inner = 'map' in rule ? rule.map : rule.list;
    for (const [name, member] of Object.entries(value ?? {})) {
      follow(member, inner, `${pointer}/${escapeToken(name)}`);
    }
  }

  function visit(value: unknown, kind: Kind, pointer: string): void {
    // A schema can also be a boolean.
    if (!isObject(value)) {
      return;
    }
    const rules = grammar[kind];
    for (const [name, member] of Object.entries(value)) {
      const place = `${pointer}/${escapeToken(name)}`;
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      const isData = rule === undefined && (DATA[kind]?.includes(name) ?? false);
      // The paths of a callback are its members.
      if (name.startsWith('x-') || isData || kind === 'callback') {
        continue;
      }
      if (rule === undefined || IGNORED[kind]?.includes(name)) {
        report(place, `uses "${name}"`);
      } else {
        follow(member, rule, place);
      }
    }
    // A named format, which states its rule, has a function in the server.
    const isKnown = FORMATS.has(String(value.format)) || typeof value['x-rule'] === 'string';
    if (kind === 'schema' && typeof value.format === 'string' && !isKnown) {
      report(`${pointer}/format`, `has the format "${value.format}"`);
    }
  }

  visit(document, 'document', '');
  return problems;
}
