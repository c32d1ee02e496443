import { storeBlobs } from '../../../../content/store/blobs.ts';
import { countSweeps } from '../../../../content/store/revisions.ts';
import { hashOf } from '../../../../content/tree/hash.ts';
import type { Transaction } from '../../../../database/database.ts';
import { writeJson } from '../../../../database/json.ts';
import type {
  IntegrationVersionsTable,
  StoredDefinition,
  StoredImage,
} from '../../../../database/schema/integrations/integrations.ts';
import type { QuotaLimitsOf } from '../../../../quotas/quotas.ts';
import { IMAGE_TYPES } from '../../../kit/images.ts';
import type { PreparedPublication } from './publication.ts';

/** Maximum number of versions of an integration that are retained. */
export const MAX_RETAINED_VERSIONS = 10;

const EMPTY_SCRIPT = new Uint8Array();

/** A version, apart from what was published. */
type PublishedVersion = Omit<IntegrationVersionsTable, 'definition' | 'script'>;

/** Stores a version of an integration, and removes the oldest. Without a script, the previous one is retained. */
export async function storeVersion(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  version: PublishedVersion,
  definition: StoredDefinition,
  prepared: PreparedPublication,
): Promise<void> {
  const script = prepared.script?.hash ?? (await previousScript(trx, version)) ?? hashOf(EMPTY_SCRIPT);
  await storeFiles(trx, quotas, version.organization, prepared, script);
  await trx
    .insertInto('integrationVersions')
    .values({ ...version, definition: writeJson(definition), script })
    .execute();
  await storeAssets(trx, version, definition);
  await removeOldVersions(trx, version);
}

async function previousScript(
  trx: Transaction,
  { integration, version }: PublishedVersion,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('integrationVersions')
    .select('script')
    .where('integration', '=', integration)
    .where('version', '=', version - 1)
    .executeTakeFirst();
  return row?.script;
}

/** Stores the images and the script. Conflicts with a concurrent sweep, see countSweeps. */
async function storeFiles(
  trx: Transaction,
  quotas: QuotaLimitsOf,
  organization: string,
  { images, script }: PreparedPublication,
  scriptHash: string,
): Promise<void> {
  await countSweeps(trx, organization);
  const scripts = script ? [script.bytes] : scriptHash === hashOf(EMPTY_SCRIPT) ? [EMPTY_SCRIPT] : [];
  await storeBlobs(trx, quotas, organization, [...images.map(({ bytes }) => bytes), ...scripts]);
}

async function storeAssets(
  trx: Transaction,
  { integration, organization, version }: PublishedVersion,
  { icon, previewImages, blocks, contentSources }: StoredDefinition,
): Promise<void> {
  const images: (StoredImage | null | undefined)[] = [
    icon,
    ...previewImages,
    ...blocks.map((block) => block.icon),
    ...contentSources.map((source) => source.icon),
  ];
  const names = new Set(images.flatMap((image) => (image && 'asset' in image ? [image.asset] : [])));
  for (const asset of names) {
    const [hash = '', extension = ''] = asset.split('.');
    const contentType = IMAGE_TYPES[extension] ?? 'application/octet-stream';
    await trx
      .insertInto('integrationAssets')
      .values({ integration, version, organization, hash, contentType })
      .execute();
  }
}

async function removeOldVersions(
  trx: Transaction,
  { integration, version }: PublishedVersion,
): Promise<void> {
  const last = version - MAX_RETAINED_VERSIONS;
  for (const table of ['integrationVersions', 'integrationAssets'] as const) {
    await trx.deleteFrom(table).where('integration', '=', integration).where('version', '<=', last).execute();
  }
}
