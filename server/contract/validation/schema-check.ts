import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { OpenApiDocument } from '../document.ts';
import type { Fault } from '../errors.ts';
import { lazily } from '../lazily.ts';
import { type ReadOnlyPolicy, readOnlyRestriction } from './directions.ts';
import { limitEvaluations, TooManyEvaluations } from './evaluations.ts';
import { faultsOf, MAX_FULL_REPORT_BYTES } from './faults.ts';
import { OWN_FORMATS } from './formats.ts';
import { addKeywords } from './keywords.ts';
import { SchemaCopy } from './lean.ts';
import { ajvPatterns } from './patterns/patterns.ts';
import { namesInheritedProperty } from './problems/inherited-names.ts';
import { sealOf } from './seal.ts';

/** Returns the faults of a value, with paths within the value. */
export type CheckValue = (value: unknown) => Fault[];

/**
 * Creates the check of a schema, for values other than JSON bodies. Schemas are compiled on first use. For large values
 * only the first fault is reported.
 *
 * @param readOnly what happens to `readOnly` properties; they are not special without it
 * @param isSealed whether undeclared properties are rejected, as in responses
 */
export function compileSchema(
  document: OpenApiDocument,
  schema: unknown,
  readOnly?: ReadOnlyPolicy,
  isSealed = false,
): CheckValue {
  const firstFault = lazily(() => compilerOf(document, { allErrors: false, readOnly, isSealed })(schema));
  const allFaults = lazily(() => compilerOf(document, { allErrors: true, readOnly, isSealed })(schema));
  const faultsIn: CheckValue = (value) => {
    const validateFirst = firstFault();
    if (validateFirst(value)) {
      return [];
    }
    const isSmall = JSON.stringify(value ?? null).length <= MAX_FULL_REPORT_BYTES;
    const validate = isSmall ? allFaults() : validateFirst;
    validate(value);
    const errors = (validate.errors ?? []).map(
      ({ keyword, instancePath, message = 'is invalid', params }) => {
        const field: unknown =
          params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
        return { keyword, pointer: instancePath + (field === undefined ? '' : `/${field}`), message };
      },
    );
    return faultsOf('body', errors);
  };
  return (value) => {
    try {
      return limitEvaluations(() => faultsIn(value));
    } catch (error) {
      if (error instanceof TooManyEvaluations) {
        return [{ in: 'body', path: '', message: error.message }];
      }
      throw error;
    }
  };
}

type Compile = (schema: unknown) => ValidateFunction;

/** Compilers by document. Schemas that several others reference are compiled once. */
const compilers = new WeakMap<OpenApiDocument, Map<string, Compile>>();

interface CompilerOptions {
  allErrors: boolean;
  readOnly: ReadOnlyPolicy | undefined;
  isSealed: boolean;
}

function compilerOf(document: OpenApiDocument, options: CompilerOptions): Compile {
  const ofDocument = compilers.get(document) ?? new Map<string, Compile>();
  compilers.set(document, ofDocument);
  const key = JSON.stringify(options);
  const compile = ofDocument.get(key) ?? createCompiler(document, options);
  ofDocument.set(key, compile);
  return compile;
}

function createCompiler(
  document: OpenApiDocument,
  { allErrors, readOnly, isSealed }: CompilerOptions,
): Compile {
  const formats = { ...fullFormats, ...OWN_FORMATS, binary: true } as const;
  // Formats that Ajv does not know are annotations, and no reason to write to the console.
  const code = { regExp: ajvPatterns };
  const ownProperties = namesInheritedProperty(document);
  const options = { strict: false, validateSchema: false, allErrors, formats, logger: false, code } as const;
  const ajv = new Ajv2020({ ...options, ownProperties });
  addKeywords(ajv);
  const copy = new SchemaCopy(document, {
    restrict: readOnly && readOnlyRestriction(document, readOnly),
    seal: isSealed ? sealOf(document) : undefined,
  });
  return (schema) => {
    const copied = copy.copy(schema ?? {});
    copy.addReferenced(ajv);
    // A copy of a schema of the contract.
    return ajv.compile(copied as AnySchema);
  };
}
