import { countSweeps } from '../../../content/store/revisions.ts';
import { sweepObjects } from '../../../content/store/sweep.ts';
import type { Transaction } from '../../../database/database.ts';
import { COLLIDED } from '../../../database/locks.ts';
import type { NewJob } from '../../../jobs/queue.ts';
import { insertJob } from '../../../jobs/store.ts';
import { organizationTransfer } from '../../accounts/organizations/transfer.ts';
import { userTransfer } from '../../accounts/users/transfer.ts';
import { auditorOf } from '../../kit/audit/record.ts';
import type { AnyRow, Transfer } from '../../kit/transfer/define.ts';
import { beginImport, endImport, unfinishedImports } from '../../kit/transfer/unfinished-imports.ts';
import { TransferError } from '../errors.ts';
import { type Manifest, readManifest } from '../folder/manifest.ts';
import { verifyFiles } from '../folder/read-files.ts';
import { TRANSFERS } from '../transfers.ts';
import { requireComplete, storeContent, storeFiles } from './content.ts';
import { examine, rowBatches } from './examine.ts';
import { type HeldValue, holdBack, release } from './held.ts';
import { insertRows, type Placement, placedRow, STATEMENT_ROWS } from './insert.ts';
import { removeImport } from './remove.ts';
import { NOTHING_REPLACED, replaceInContent } from './replace-in-content.ts';
import type { ImportServices } from './services.ts';
import { acceptInvitations, newUsers } from './users.ts';

/** Imports run one at a time. */
const IMPORT_LOCK = 'organization import';

/** Result of an import. */
export interface ImportedOrganization {
  /** ID of the organization at this server. */
  id: string;
  manifest: Manifest;
  /** What could not be imported as it was. */
  problems: string[];
}

/**
 * Imports an organization, also while servers write to the database. Nobody sees it before the last transaction, and
 * nothing of it remains if the import fails. What a killed import has left, the next one removes.
 *
 * @param newIds whether its resources get new IDs
 * @throws TransferError if the folder is damaged, or the server has a resource with one of the IDs
 */
export async function importOrganization(
  services: ImportServices,
  folder: string,
  newIds: boolean,
): Promise<ImportedOrganization> {
  const manifest = await readManifest(folder);
  await verifyFiles(folder, manifest, services.signal);
  return await services.database.inTurn(IMPORT_LOCK, async (hasWaited) => {
    if (!hasWaited) {
      // Without a ticket, only imports of this process are excluded.
      return COLLIDED;
    }
    for (const organization of await unfinishedImports(services.database.query)) {
      await removeImport(services, organization);
    }
    const { replacements, organization } = await examine(services, { folder, manifest, newIds });
    const source = { folder, manifest };
    const placement: Placement = { organization, replacements, replaced: NOTHING_REPLACED };
    const problems = await importAll(services, source, placement);
    if (placement.replaced.roots.size > 0) {
      // The content that was replaced.
      await sweepObjects(services.database, organization, services.clock);
    }
    return { id: organization, manifest, problems };
  });
}

interface ImportSource {
  folder: string;
  manifest: Manifest;
}

async function importAll(
  services: ImportServices,
  source: ImportSource,
  placement: Placement,
): Promise<string[]> {
  const { database } = services;
  const { organization } = placement;
  try {
    const sweeps = await countSweeps(database.query, organization);
    const { held, problems } = await importAhead(services, source, placement);
    return [...problems, ...(await importLast(services, source, placement, { held, sweeps }))];
  } catch (error) {
    // The last transaction may be committed although its connection was lost.
    if ((await unfinishedImports(database.query)).includes(organization)) {
      await removeImport(services, organization);
    }
    throw error;
  }
}

/** Imports what nobody sees without the rest. */
async function importAhead(
  services: ImportServices,
  { folder, manifest }: ImportSource,
  placement: Placement,
): Promise<{ held: HeldValue[]; problems: string[] }> {
  const { database, clock, signal } = services;
  const { organization, replacements } = placement;
  const held: HeldValue[] = [];
  const problems: string[] = [];
  await database.transaction((trx) => beginImport(trx, organization, clock()));
  for (const transfer of TRANSFERS.filter(({ isLast }) => !isLast)) {
    for await (const travelled of rowBatches(folder, transfer, STATEMENT_ROWS)) {
      signal?.throwIfAborted();
      const rows = travelled.map((row) => {
        const parts = holdBack(transfer, placedRow(services, transfer, placement, row));
        held.push(...parts.held);
        return parts.row;
      });
      const retained = await database.transaction((trx) => insertRows(trx, transfer, organization, rows));
      problems.push(...(retained.problems ?? []));
    }
    if (transfer === organizationTransfer) {
      const affected = await storeContent(services, folder, organization, replacements);
      await storeFiles(services, folder, organization, manifest);
      await requireComplete(services, folder, organization);
      placement.replaced = await replaceInContent(services, { folder, organization, affected }, replacements);
    }
  }
  return { held, problems };
}

/** Imports the rest in one transaction, with which the organization is in use. */
async function importLast(
  services: ImportServices,
  { folder }: ImportSource,
  placement: Placement,
  { held, sweeps }: { held: readonly HeldValue[]; sweeps: number },
): Promise<string[]> {
  const { database, clock, createId, signal } = services;
  const { organization } = placement;
  const last: [Transfer, AnyRow[]][] = [];
  const enqueued: NewJob<unknown>[] = [];
  for (const transfer of TRANSFERS.filter(({ isLast, jobs }) => isLast || jobs)) {
    const rows: AnyRow[] = [];
    for await (const travelled of rowBatches(folder, transfer)) {
      const placed = travelled.map((row) => placedRow(services, transfer, placement, row));
      enqueued.push(...placed.flatMap((row) => transfer.jobs?.(row) ?? []));
      rows.push(...(transfer.isLast ? placed : []));
    }
    last.push([transfer, rows]);
  }
  signal?.throwIfAborted();
  return await database.transaction(async (trx) => {
    if ((await countSweeps(trx, organization)) !== sweeps) {
      throw new TransferError('Content was swept during the import. Import the folder again.');
    }
    const problems: string[] = [];
    for (const [transfer, rows] of last) {
      for (let start = 0; start < rows.length; start += STATEMENT_ROWS) {
        const batch = rows.slice(start, start + STATEMENT_ROWS);
        const fresh = transfer === userTransfer ? await newUsers(trx, batch) : batch;
        problems.push(...((await insertRows(trx, transfer, organization, fresh)).problems ?? []));
      }
    }
    problems.push(...(await release(trx, held)));
    await finish(trx, services, organization);
    for (const job of enqueued) {
      await insertJob(trx, createId('job'), job, clock().toISOString());
    }
    return problems;
  });
}

async function finish(trx: Transaction, services: ImportServices, organization: string): Promise<void> {
  const audit = auditorOf(services, { actor: 'operator' });
  await acceptInvitations(trx, services, audit);
  await audit(trx, {
    organization,
    action: 'organization.created',
    resource: { type: 'organization', id: organization },
  });
  await endImport(trx, organization);
}
