import { getAllTags, getSummary } from '@typespec/compiler';
import { getOperationId } from '@typespec/openapi';
import { reportDiagnostic } from './library.js';

/** Allowed verbs of operation ids. */
const verbs = new Set([
  'accept',
  'add',
  'apply',
  'ask',
  'cancel',
  'create',
  'delete',
  'duplicate',
  'enable',
  'export',
  'get',
  'import',
  'invite',
  'list',
  'merge',
  'move',
  'ping',
  'publish',
  'put',
  'record',
  'regenerate',
  'remove',
  'render',
  'replace',
  'resolve',
  'restore',
  'revoke',
  'run',
  'search',
  'set',
  'sort',
  'start',
  'stop',
  'sync',
  'transfer',
  'unpublish',
  'update',
]);

/**
 * Requires a unique id made of a verb and a noun, a summary and a tag on every operation.
 * @param {import('@typespec/compiler').Program} program
 * @param {import('@typespec/http').HttpOperation[]} operations
 */
export function checkNames(program, operations) {
  /** @type {Map<string, string>} */
  const firstUses = new Map();
  for (const { operation: target, verb, path } of operations) {
    const operation = target.name;
    const id = getOperationId(program, target);
    if (id === undefined) {
      reportDiagnostic(program, { code: 'operation-id-missing', format: { operation }, target });
    } else {
      if (!isVerbAndNoun(id)) {
        reportDiagnostic(program, { code: 'operation-id-form', format: { id }, target });
      }
      const first = firstUses.get(id);
      if (first !== undefined) {
        reportDiagnostic(program, { code: 'operation-id-duplicate', format: { id, first }, target });
      }
      firstUses.set(id, `${verb.toUpperCase()} ${path}`);
    }
    if (!getSummary(program, target)) {
      reportDiagnostic(program, { code: 'operation-summary-missing', format: { operation }, target });
    }
    if (getAllTags(program, target) === undefined) {
      reportDiagnostic(program, { code: 'operation-tag-missing', format: { operation }, target });
    }
  }
}

/**
 * @param {string} id
 * @returns {boolean}
 */
function isVerbAndNoun(id) {
  const match = /^([a-z]+)(?:[A-Z][a-zA-Z0-9]*)$/.exec(id);
  return match?.[1] !== undefined && verbs.has(match[1]);
}
