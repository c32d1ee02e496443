import { BadInput } from '../bad-input.ts';
import { isObject, type Json } from '../document.ts';
import type { Source } from '../source.ts';
import { type Approval, judge } from './approvals.ts';
import { same } from './canonical.ts';
import { type Change, changeOf } from './change.ts';
import { createFormReader } from './form-reader.ts';
import { type Documents, diffPaths } from './operation-diff.ts';
import type { Comparison } from './report.ts';
import { createSchemaDiff } from './schema-diff.ts';

/**
 * What changed from one OpenAPI 3.0 or 3.1 document to another, and what each change breaks for whom.
 * The documents may be of different versions: what is compared is what they mean, not how it is spelt.
 *
 * @example
 * const changes = diffDocuments(await readSource('main:openapi.yaml', '.'), await readSource('openapi.yaml', '.'));
 * @throws when a document refers to what is not there
 */
export function diffDocuments(base: Source, head: Source): Change[] {
  const [before, after] = [createFormReader(base), createFormReader(head)];
  const documents: Documents = {
    base: { source: base, reader: before },
    head: { source: head, reader: after },
    schemas: createSchemaDiff(before, after),
  };
  return [
    ...diffServers(base.root.servers, head.root.servers),
    ...diffPaths(documents, base.root.paths, head.root.paths),
    ...diffPaths(documents, base.root.webhooks, head.root.webhooks, { reversed: true, prefix: 'webhook ' }),
  ];
}

/** The release that a document is of: its `info.version`, if it says one. */
export function releaseOf({ root }: Source): string | undefined {
  const version = isObject(root.info) ? root.info.version : undefined;
  // YAML reads an unquoted 1.0 as a number.
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
}

/**
 * Compares two documents, and holds what breaks against a ledger.
 * @throws when there are approvals, and the base document has no version by which they could expire
 */
export function compareSources(base: Source, head: Source, ledger: readonly Approval[]): Comparison {
  const changes = diffDocuments(base, head);
  const release = releaseOf(base);
  if (release === undefined && ledger.length > 0) {
    throw new BadInput(
      `${base.name} has no info.version, by which approvals expire. Add the version of the release.`,
    );
  }
  const unknown = 'no version';
  return {
    base: { name: base.name, release: release ?? unknown },
    head: { name: head.name, release: releaseOf(head) ?? unknown },
    changes,
    judgement: judge(changes, ledger, release ?? unknown),
  };
}

function diffServers(base: Json | undefined, head: Json | undefined): Change[] {
  const [before, after] = [addressesOf(base), addressesOf(head)];
  const gone = before.filter((address) => !after.includes(address));
  if (gone.length === 0 || same(before, after)) return [];
  const message = `The server ${gone.join(', ')} is no longer named; now ${after.join(', ')}.`;
  return [changeOf('servers-changed', { operation: '*', endpoint: '*', where: 'servers', message })];
}

/** The addresses of servers; without any, the one that the document came from (OpenAPI 3.1, OpenAPI Object). */
function addressesOf(servers: Json | undefined): string[] {
  const list = Array.isArray(servers) ? servers.filter(isObject) : [];
  return list.length === 0 ? ['/'] : list.map(({ url }) => String(url));
}
