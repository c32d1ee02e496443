import {
  dereferenced,
  type MediaTypeObject,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  parametersOf,
  type RequestBodyObject,
  type ResponseObject,
  tryResolve,
} from '../../document.ts';
import { schemaSizeCheck } from '../../limits/schema-size.ts';
import { mediaKindOf, parseMediaType } from '../../media-types.ts';
import { urlEncodedForm } from '../../request/bodies/form.ts';
import { parameterField } from '../../request/values/field.ts';
import { FieldNames } from '../../request/values/names.ts';
import { isEffective } from '../../request/values/parameters.ts';
import { successesOf } from '../../response/responder.ts';
import { pointerOf, visitDocument } from '../grammar.ts';
import { endlessSchemas } from './endless-schemas.ts';
import { schemaProblems } from './schema-problems.ts';

/** A part of a schema that the router cannot serve. */
export interface SchemaProblem {
  /** JSON pointer of the schema. */
  place: string;
  reason: string;
}

/**
 * Returns what validators would not apply, and the references that do not resolve, by the schema or other object that
 * declares it.
 */
export function unsupportedSchemas(document: OpenApiDocument): Map<object, SchemaProblem[]> {
  const problems = new Map<object, SchemaProblem[]>();
  // Thousands of references have a few hundred targets.
  const resolved = new Map<string, boolean>();
  const doesResolve = (ref: string): boolean => {
    const outcome = resolved.get(ref) ?? resolves(document, ref);
    resolved.set(ref, outcome);
    return outcome;
  };
  const sizeProblem = schemaSizeCheck(document);
  const isEndless = endlessSchemas(document);
  visitDocument(document, ({ object, kind, position }) => {
    const { $ref } = object;
    const reasons = kind === 'schema' ? [...schemaProblems(object), sizeProblem(object) ?? []].flat() : [];
    if (kind === 'schema' && isEndless(object)) {
      reasons.push('it applies itself to the same value, so that its validation does not end');
    }
    if (typeof $ref === 'string' && !doesResolve($ref)) {
      reasons.push(`the reference ${$ref} does not resolve within the document`);
    }
    if (reasons.length > 0) {
      const place = pointerOf(position);
      problems.set(
        object,
        reasons.map((reason) => ({ place, reason })),
      );
    }
  });
  return problems;
}

function resolves(document: OpenApiDocument, ref: string): boolean {
  return ref.startsWith('#/') && tryResolve(document, ref) !== undefined;
}

/** A part of an operation that the router cannot serve. */
export interface PartProblem {
  /** The part, such as `the query parameter a`. */
  place: string;
  /** Continues a sentence about the part. */
  reason: string;
}

/**
 * Returns what an operation declares and the router cannot serve.
 *
 * @param operation a complete operation, see `completeOperation`
 * @param declared the same operation in the document
 */
export function unsupportedByOperation(
  document: OpenApiDocument,
  operation: OperationObject,
  declared: OperationObject,
): PartProblem[] {
  const parameters = parametersOf(document, operation).filter(isEffective);
  return [
    ...parameters.flatMap((parameter) => {
      const reason = parameterProblem(parameter);
      return reason ? [{ place: `the ${parameter.in} parameter ${parameter.name}`, reason }] : [];
    }),
    ...nameProblems(document, parameters),
    ...bodyProblems(document, operation),
    ...repeatedTypeProblems(document, declared),
  ];
}

const STYLES: Readonly<Record<ParameterObject['in'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function parameterProblem({ in: part, style, content }: ParameterObject): string | undefined {
  if (content && Object.keys(content).length !== 1) {
    return 'must have one media type in its content';
  }
  return style === undefined || STYLES[part].includes(style)
    ? undefined
    : `has the style ${style}, which parameters of this kind do not have: use ${STYLES[part].join(' or ')}`;
}

/** Reports the parameters that cannot be distinguished, because they claim the same names. */
function nameProblems(document: OpenApiDocument, parameters: readonly ParameterObject[]): PartProblem[] {
  return (['query', 'cookie'] as const).flatMap((part) => {
    const fields = parameters
      .filter((parameter) => parameter.in === part)
      .map((parameter) => parameterField(document, parameter));
    return new FieldNames(fields).problems.map(({ name, reason }) => ({
      place: `the ${part} parameter ${name}`,
      reason,
    }));
  });
}

function bodyProblems(document: OpenApiDocument, { requestBody }: OperationObject): PartProblem[] {
  if (!requestBody) {
    return [];
  }
  const content = Object.entries(requestBody.content ?? {});
  if (content.length === 0) {
    return [{ place: 'the request body', reason: 'declares no media type' }];
  }
  return content
    .filter(([type]) => mediaKindOf(type) === 'form')
    .flatMap(([type, media]) =>
      urlEncodedForm(document, media, 'ignore').names.problems.map(({ name, reason }) => ({
        place: `the field ${name} of ${type}`,
        reason,
      })),
    );
}

/** Reports media types of different schemas that differ only in their parameters or in case, which the router ignores. */
function repeatedTypeProblems(
  document: OpenApiDocument,
  { requestBody, responses = {} }: OperationObject,
): PartProblem[] {
  const contents: [string, { content?: Record<string, MediaTypeObject> }][] = successesOf(responses).flatMap(
    (status) => {
      const response = responses[status];
      return response
        ? [[`the response with status ${status}`, dereferenced<ResponseObject>(document, response)]]
        : [];
    },
  );
  if (requestBody) {
    contents.unshift(['the request body', dereferenced<RequestBodyObject>(document, requestBody)]);
  }
  return contents.flatMap(([part, { content = {} }]) => {
    const schemas = new Map<string, Set<string>>();
    for (const [type, { schema }] of Object.entries(content)) {
      const { essence } = parseMediaType(type);
      schemas.set(essence, (schemas.get(essence) ?? new Set()).add(JSON.stringify(schema)));
    }
    const repeated = [...schemas].filter(([, declared]) => declared.size > 1);
    return repeated.map(([essence]) => ({
      place: part,
      reason: `declares ${essence} with other parameters and another schema, which is not supported`,
    }));
  });
}
