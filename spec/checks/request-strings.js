import { getFormat, getMaxLength } from '@typespec/compiler';
import { reportDiagnostic } from './library.js';

/**
 * @typedef {import('@typespec/compiler').Type} Type
 * @typedef {import('@typespec/compiler').ModelProperty} ModelProperty
 * @typedef {import('@typespec/compiler').Scalar} Scalar
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/http').HttpOperation} HttpOperation
 */

/** The formats that leave no room for more than some dozens of characters. */
const boundedFormats = new Set(['date', 'time', 'date-time', 'duration', 'uuid', 'ipv4', 'ipv6']);

/** The scalars that hold as much text as a caller likes, unless something bounds them. */
const textScalars = new Set(['string', 'url', 'bytes']);

/**
 * Every text in a request has an upper bound: in the path, the query, the headers and the body.
 * @param {Program} program
 * @param {HttpOperation[]} operations
 */
export function checkRequestStrings(program, operations) {
  // A model serves many operations, and a spread copies its properties: each place is reported once.
  /** @type {Set<Type>} */
  const visited = new Set();
  /** @type {Set<object>} */
  const reported = new Set();
  for (const { operation, parameters } of operations) {
    for (const { param } of parameters.parameters) visitProperty(param, operation.name);
    const { body } = parameters;
    if (body === undefined) continue;
    if (body.property) visitProperty(body.property, operation.name);
    else visit(body.type, body.type, 'body', operation.name);
  }

  /**
   * @param {ModelProperty} property
   * @param {string} operation
   */
  function visitProperty(property, operation) {
    if (!isBounded(program, property)) visit(property.type, property, property.name, operation);
  }

  /**
   * @param {Type} type
   * @param {Type} place what to report: the closest property, variant or model around the text
   * @param {string} name what the place is called
   * @param {string} operation
   */
  function visit(type, place, name, operation) {
    if (type.kind === 'Scalar') {
      if (isText(type) && !isScalarBounded(program, type)) report(place, name, operation);
      return;
    }
    // A text without a name is the same type at every place, a model is not worth a second look.
    if (type.kind === 'Model' || type.kind === 'Union' || type.kind === 'Tuple') {
      if (visited.has(type)) return;
      visited.add(type);
    }
    if (type.kind === 'Model') {
      for (let model = /** @type {typeof type | undefined} */ (type); model; model = model.baseModel) {
        for (const property of model.properties.values()) visitProperty(property, operation);
        if (model.indexer) visit(model.indexer.value, model.name ? place : type, name, operation);
      }
    } else if (type.kind === 'Union') {
      for (const variant of type.variants.values()) {
        const called = typeof variant.name === 'string' ? variant.name : name;
        if (!isBounded(program, variant)) visit(variant.type, type.name ? variant : place, called, operation);
      }
    } else if (type.kind === 'Tuple') {
      for (const value of type.values) visit(value, place, name, operation);
    }
  }

  /**
   * @param {Type} place
   * @param {string} name
   * @param {string} operation
   */
  function report(place, name, operation) {
    const key = place.node ?? place;
    if (reported.has(key)) return;
    reported.add(key);
    reportDiagnostic(program, { code: 'string-unbounded', format: { name, operation }, target: place });
  }
}

/**
 * Whether a scalar is text: it descends from one of the text scalars, which name themselves.
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
  if (isBounded(program, scalar)) return true;
  return scalar.baseScalar !== undefined && isScalarBounded(program, scalar.baseScalar);
}

/**
 * @param {Program} program
 * @param {Type} type
 * @returns {boolean}
 */
function isBounded(program, type) {
  if (getMaxLength(program, type) !== undefined) return true;
  const format = getFormat(program, type);
  return format !== undefined && boundedFormats.has(format);
}
