import { STATUS_CODES } from 'node:http';
import {
  dereference,
  isErrorStatus,
  type Json,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Reference,
  type Response,
} from '../document.ts';
import { composeSchemas } from './compositions.ts';
import { type GlobalContext, resolveRef, transformSchema } from './libraries.ts';
import { nameModels } from './named-models.ts';
import { omitUnusedMembers } from './omitted-members.ts';
import { restoreOperationIds, withSafeOperationIds } from './operation-ids.ts';
import { printDeclarations } from './print.ts';
import { shapeOf } from './shapes.ts';

/** Options of the library; all but the first are its defaults. */
const TYPE_OPTIONS = {
  // Fields with a default stay optional in requests.
  defaultNonNullable: false,
  additionalProperties: false,
  alphabetize: false,
  arrayLength: false,
  conditionalEnums: false,
  dedupeEnums: false,
  emptyObjectsUnknown: false,
  enum: false,
  enumValues: false,
  excludeDeprecated: false,
  exportType: false,
  generatePathParams: false,
  immutable: false,
  makePathsEnum: false,
  pathParamsAsTypes: false,
  propertiesRequiredByDefault: false,
  readWriteMarkers: false,
  rootTypes: false,
  rootTypesKeepCasing: false,
  rootTypesNoSchemaPrefix: false,
  silent: true,
};

/**
 * Generates the TypeScript declarations of a document: `paths`, `components`, `operations`, and a type for each model.
 * Error responses with the same body as the `default` response are omitted, because a caller's error type is the union
 * of the bodies, and so are members without a value and repeated descriptions. Strings with `format: binary` become
 * `Blob`.
 *
 * Calls just the transformation of the library: its entry point also lints and bundles, which is several times slower and
 * has the same result for a self-contained document.
 */
export function schemaTypes(document: OpenApiDocument): string {
  const copy = withoutRepetitions(document);
  const operationIds = withSafeOperationIds(copy);
  composeSchemas(copy);
  // The library's document type is stricter than OpenAPI.
  const schema = copy as unknown as Parameters<typeof transformSchema>[0];
  const context: Omit<GlobalContext, 'redoc'> = {
    ...TYPE_OPTIONS,
    // Schemas of the document are JSON; the type of the library lists their keywords.
    transform: (part, at) => shapeOf(part as unknown as Json, at),
    transformProperty: undefined,
    postTransform: undefined,
    // `withTaggedVariants` has replaced them.
    discriminators: { objects: {}, refsHandled: [] },
    injectFooter: [],
    resolve: <Target>(reference: string) => resolveRef<Target>(schema, reference, { silent: true }),
  };
  // The member that the cast omits configures the linter, which only the entry point uses.
  const declarations = restoreOperationIds(transformSchema(schema, context as GlobalContext), operationIds);
  return plainComments(printDeclarations(nameModels(omitUnusedMembers(declarations))));
}

/**
 * Rewrites the comments of the library as editors show them: without tags for descriptions and for values that the type
 * itself lists, and without the indentation that editors show as code.
 */
export function plainComments(declarations: string): string {
  return declarations
    .replaceAll(/^( *\/\*\*(?:\n *\*)?) @description /gm, '$1 ')
    .replaceAll(/^( *)\* @description /gm, '$1*\n$1* ')
    .replaceAll(/^ *\/\*\* @enum \{.*\} \*\/\n|^ *\* @enum \{.*\}\n/gm, '')
    .replaceAll(' (enum property replaced by openapi-typescript)', '')
    .replaceAll(/^( *\*) {4}(?= +\S)/gm, '$1')
    .replaceAll(/^( *\*) +$/gm, '$1')
    .replaceAll(/^( *)\/\*\*\n *\* (.*)\n *\*\//gm, '$1/** $2 */');
}

/**
 * Copies a document without what its types would repeat: error responses that have the same body as the operation's
 * `default`, the description of an operation with a summary, since its function has it, and the description of a
 * response that only names its status.
 */
export function withoutRepetitions(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const operation of operationsOf(copy)) {
    if (operation.summary !== undefined) {
      delete operation.description;
    }
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses ?? {})
        .filter(([status, response]) => !repeatsDefault(document, operation, status, response))
        .map(([status, response]) => [status, withoutStatusName(status, response)]),
    );
  }
  const paths = JSON.stringify(copy.paths);
  const shared = Object.entries(copy.components?.responses ?? {});
  const used = shared.filter(([name]) => paths.includes(`"#/components/responses/${name}"`));
  return { ...copy, components: { ...copy.components, responses: Object.fromEntries(used) } };
}

/** Whether an error response has the same body as the `default` of its operation. */
function repeatsDefault(
  document: OpenApiDocument,
  { responses }: Operation,
  status: string,
  response: Response | Reference,
): boolean {
  if (responses?.default === undefined || status === 'default' || !isErrorStatus(status)) {
    return false;
  }
  const bodyOf = (item: Response | Reference) => JSON.stringify(dereference(document, item).content);
  return bodyOf(response) === bodyOf(responses.default);
}

/** Removes a description such as "OK" or "No content." from a response; OpenAPI requires one, but types do not. */
function withoutStatusName(status: string, response: Response | Reference): Response | Reference {
  if ('$ref' in response || response.description === undefined) {
    return response;
  }
  const isStatusName =
    response.description.toLowerCase().replace(/\.$/, '') === STATUS_CODES[status]?.toLowerCase();
  return isStatusName ? { ...response, description: '' } : response;
}
