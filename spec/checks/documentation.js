import { getDoc, isTemplateDeclaration } from '@typespec/compiler';
import { isBody, isBodyRoot, isStatusCode } from '@typespec/http';
import { reportDiagnostic } from './library.js';

/**
 * @typedef {import('@typespec/compiler').Type} Type
 * @typedef {import('@typespec/compiler').Program} Program
 * @typedef {import('@typespec/compiler').Namespace} Namespace
 * @typedef {import('@typespec/compiler').ModelProperty} ModelProperty
 */

/**
 * Requires a doc comment on everything that is part of the documentation: operations and their parameters, models
 * and their properties, enums and their members, named unions and their variants, and scalars.
 * @param {Program} program
 * @param {Namespace[]} namespaces Namespaces of the services. Declarations of libraries are not checked.
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkDocumentation(program, namespaces, operations) {
  /** @type {Set<Type>} */
  const visited = new Set();
  // Spreads and template instances copy declarations, but each declaration is reported once.
  /** @type {Set<object>} */
  const reported = new Set();
  for (const namespace of namespaces) {
    visitNamespace(namespace);
  }
  for (const { operation } of operations) {
    requireDoc(operation, `Operation "${operation.name}"`);
    for (const parameter of operation.parameters.properties.values()) {
      visitProperty(parameter, operation.name);
    }
    visit(operation.returnType);
  }

  /** @param {Namespace} namespace */
  function visitNamespace(namespace) {
    for (const model of namespace.models.values()) {
      visit(model);
    }
    for (const declared of namespace.enums.values()) {
      visit(declared);
    }
    for (const union of namespace.unions.values()) {
      visit(union);
    }
    for (const scalar of namespace.scalars.values()) {
      visit(scalar);
    }
    for (const inner of namespace.namespaces.values()) {
      visitNamespace(inner);
    }
  }

  /** @param {Type} type */
  function visit(type) {
    if (visited.has(type)) {
      return;
    }
    visited.add(type);
    switch (type.kind) {
      case 'Model':
        // Templates are checked as instances: their doc comments can depend on the arguments.
        if (isTemplateDeclaration(type)) {
          return;
        }
        if (type.indexer) {
          visit(type.indexer.value);
        }
        if (!isInContract(type.namespace)) {
          return;
        }
        if (type.name) {
          requireDoc(type, `Model "${type.name}"`);
        }
        for (const property of type.properties.values()) {
          visitProperty(property, type.name);
        }
        return;
      case 'Union':
        if (isTemplateDeclaration(type)) {
          return;
        }
        if (type.name) {
          requireDoc(type, `Union "${type.name}"`);
        }
        for (const variant of type.variants.values()) {
          // The declaration that contains an anonymous union documents its variants.
          if (type.name) {
            const suffix = typeof variant.name === 'string' ? `.${variant.name}` : '';
            requireDoc(variant, `Variant "${type.name}${suffix}"`);
          }
          visit(variant.type);
        }
        return;
      case 'Enum':
        if (!isInContract(type.namespace)) {
          return;
        }
        requireDoc(type, `Enum "${type.name}"`);
        for (const member of type.members.values()) {
          requireDoc(member, `Member "${type.name}.${member.name}"`);
        }
        return;
      case 'Scalar':
        if (isInContract(type.namespace)) {
          requireDoc(type, `Scalar "${type.name}"`);
        }
        return;
    }
  }

  /**
   * @param {ModelProperty} property
   * @param {string} owner
   */
  function visitProperty(property, owner) {
    // The status code and the body are not documented fields.
    const isPart =
      isStatusCode(program, property) || isBody(program, property) || isBodyRoot(program, property);
    if (!isPart) {
      requireDoc(property, `Property "${owner ? `${owner}.` : ''}${property.name}"`);
    }
    visit(property.type);
  }

  /**
   * @param {Type} type
   * @param {string} subject
   */
  function requireDoc(type, subject) {
    if (getDoc(program, type)) {
      return;
    }
    const key = type.node ?? type;
    if (reported.has(key)) {
      return;
    }
    reported.add(key);
    reportDiagnostic(program, { code: 'doc-missing', format: { subject }, target: type });
  }

  /**
   * @param {Namespace | undefined} namespace
   * @returns {boolean}
   */
  function isInContract(namespace) {
    if (namespace === undefined) {
      return false;
    }
    return namespaces.includes(namespace) || isInContract(namespace.namespace);
  }
}
