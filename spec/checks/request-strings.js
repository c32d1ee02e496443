import { getFormat, getMaxLength } from '@typespec/compiler';
import { reportDiagnostic } from './library.js';

/**
 * @typedef {import('@typespec/compiler').Type} Type
 * @typedef {import('@typespec/compiler').ModelProperty} ModelProperty
 * @typedef {import('@typespec/compiler').Scalar} Scalar
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/http').HttpOperation} HttpOperation
 */

/** Formats that limit a string to a few dozen characters. */
const boundedFormats = new Set(['date', 'time', 'date-time', 'duration', 'uuid', 'ipv4', 'ipv6']);

/** Built-in scalars that are strings in JSON and have no maximum length. */
const textScalars = new Set(['string', 'url', 'bytes']);

/**
 * Requires a maximum length for every string in a request: in the path, the query, the headers and the body.
 * @param {Program} program
 * @param {HttpOperation[]} operations
 */
export function checkRequestStrings(program, operations) {
  // Operations share models, and spreads copy properties, but each declaration is reported once.
  /** @type {Set<Type>} */
  const visited = new Set();
  /** @type {Set<object>} */
  const reported = new Set();
  for (const { operation, parameters } of operations) {
    for (const { param } of parameters.parameters) {
      visitProperty(param, operation.name);
    }
    const { body } = parameters;
    if (body === undefined) {
      continue;
    }
    if (body.property) {
      visitProperty(body.property, operation.name);
    } else {
      visit(body.type, body.type, 'body', operation.name);
    }
  }

  /**
   * @param {ModelProperty} property
   * @param {string} operation
   */
  function visitProperty(property, operation) {
    if (!isBounded(program, property)) {
      visit(property.type, property, property.name, operation);
    }
  }

  /**
   * @param {Type} type
   * @param {Type} target Declaration to report: the closest property, variant or model that contains the string.
   * @param {string} name Name of the declaration to report.
   * @param {string} operation
   */
  function visit(type, target, name, operation) {
    if (type.kind === 'Scalar') {
      if (isText(type) && !isScalarBounded(program, type)) {
        report(target, name, operation);
      }
      return;
    }
    // Scalars are shared by many declarations, so only composite types are visited once.
    if (type.kind === 'Model' || type.kind === 'Union' || type.kind === 'Tuple') {
      if (visited.has(type)) {
        return;
      }
      visited.add(type);
    }
    if (type.kind === 'Model') {
      for (let model = /** @type {typeof type | undefined} */ (type); model; model = model.baseModel) {
        for (const property of model.properties.values()) {
          visitProperty(property, operation);
        }
        if (model.indexer) {
          visit(model.indexer.value, model.name ? target : type, name, operation);
        }
      }
    } else if (type.kind === 'Union') {
      for (const variant of type.variants.values()) {
        const variantName = typeof variant.name === 'string' ? variant.name : name;
        if (!isBounded(program, variant)) {
          visit(variant.type, type.name ? variant : target, variantName, operation);
        }
      }
    } else if (type.kind === 'Tuple') {
      for (const value of type.values) {
        visit(value, target, name, operation);
      }
    }
  }

  /**
   * @param {Type} target
   * @param {string} name
   * @param {string} operation
   */
  function report(target, name, operation) {
    const key = target.node ?? target;
    if (reported.has(key)) {
      return;
    }
    reported.add(key);
    reportDiagnostic(program, { code: 'string-unbounded', format: { name, operation }, target });
  }
}

/**
 * Whether a scalar is a string scalar or extends one.
 * @param {Scalar} scalar
 * @returns {boolean}
 */
function isText(scalar) {
  return textScalars.has(scalar.name) || (scalar.baseScalar !== undefined && isText(scalar.baseScalar));
}

/**
 * @param {Program} program
 * @param {Scalar} scalar
 * @returns {boolean}
 */
function isScalarBounded(program, scalar) {
  if (isBounded(program, scalar)) {
    return true;
  }
  return scalar.baseScalar !== undefined && isScalarBounded(program, scalar.baseScalar);
}

/**
 * @param {Program} program
 * @param {Type} type
 * @returns {boolean}
 */
function isBounded(program, type) {
  if (getMaxLength(program, type) !== undefined) {
    return true;
  }
  const format = getFormat(program, type);
  return format !== undefined && boundedFormats.has(format);
}
