import { isObject } from '../document.ts';
import type { Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { type Approval, applyApprovals } from './approvals.ts';
import { type Change, changeOf, type Differences } from './change.ts';
import type { Comparison } from './comparison.ts';
import { createFormReader } from './form/form-reader.ts';
import { type Documents, diffPaths } from './operations/operation-diff.ts';
import { serversMessage } from './operations/server-diff.ts';
import { createSameness } from './sameness.ts';
import { createSchemaDiff } from './schemas/schema-diff.ts';

/**
 * Compares two OpenAPI 3.0 or 3.1 documents and classifies each change. The documents may have different versions:
 * their meaning is compared, not their notation.
 *
 * @example
 * const changes = diffDocuments(await readSource('main:openapi.yaml', '.'), await readSource('openapi.yaml', '.'));
 * @throws if a reference does not resolve
 */
export function diffDocuments(base: Source, head: Source): Change[] {
  return findDifferences(base, head).changes;
}

/** Compares two documents. Also returns where the comparison is less precise, and why. */
export function findDifferences(base: Source, head: Source): Differences {
  const [before, after] = [createFormReader(base), createFormReader(head)];
  const sameness = createSameness(base, head);
  const documents: Documents = {
    base: { source: base, reader: before },
    head: { source: head, reader: after },
    schemas: createSchemaDiff(before, after, sameness.isSameSchema),
    sameness,
  };
  const differences: Differences = { changes: [], limitations: [] };
  const message = serversMessage(base.root.servers, head.root.servers);
  if (message !== undefined) {
    const place = { operation: '*', endpoint: '*', tags: [], location: 'servers' };
    differences.changes.push(changeOf('servers-changed', { ...place, message }));
  }
  diffPaths(documents, base.root.paths, head.root.paths, differences);
  const webhooks = { reversed: true, prefix: 'webhook ' };
  diffPaths(documents, base.root.webhooks, head.root.webhooks, differences, webhooks);
  return differences;
}

const NO_VERSION = 'no version';

/** Release of a document: its `info.version`, if any. */
function releaseOf({ root }: Source): string | undefined {
  const version = isObject(root.info) ? root.info.version : undefined;
  // YAML reads an unquoted 1.0 as a number.
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
}

/**
 * Compares two documents and applies approvals to the breaking changes.
 * @throws if there are approvals, but the base document has no version
 */
export function compareSources(base: Source, head: Source, approvals: readonly Approval[]): Comparison {
  const { changes, limitations } = findDifferences(base, head);
  const release = releaseOf(base);
  if (release === undefined && approvals.length > 0) {
    throw new UsageError(
      `${base.name} has no info.version, which approvals refer to. Add the version of the release.`,
    );
  }
  return {
    base: { name: base.name, release: release ?? NO_VERSION },
    head: { name: head.name, release: releaseOf(head) ?? NO_VERSION },
    changes,
    limitations,
    approvalResult: applyApprovals(changes, approvals, release ?? NO_VERSION),
    omitted: 0,
  };
}
