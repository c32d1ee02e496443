import type { Insertable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import { isJson, parseSpecification, SpecificationError } from '../../../content/computed/parse.ts';
import { hashOf, storableText } from '../../../content/tree/hash.ts';
import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import type { OpenAPISpecVersionsTable } from '../../../database/schema/content/openapi-specs.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import { Fetcher } from '../../../outgoing/fetch.ts';
import { displayUrl } from '../../../outgoing/fetch-errors.ts';
import { enqueueDependentIndexing } from '../../kit/indexing-jobs.ts';
import type { Services } from '../../kit/slice.ts';
import { type SpecSource, specProcessing } from './rules.ts';

type ErrorCode = components['schemas']['OpenAPIProcessErrorCode'];

/** Maximum size of a fetched specification, the same as in a request. */
export const MAX_SPECIFICATION_BYTES = 16 * 1024 * 1024;
/** Time limit for fetching a specification. */
export const SPECIFICATION_FETCH_TIMEOUT_MS = 30_000;

/** Registers the worker that processes sources of specifications. */
export function registerSpecProcessing(services: Services): void {
  const { queue, database, log } = services;
  const fail = (payload: SpecSource, lastProcessErrorCode: ErrorCode) =>
    database.transaction((trx) => finish(trx, services, payload, { lastProcessErrorCode }));
  queue.register(
    specProcessing,
    async ({ payload }, signal) => {
      try {
        await processSource(services, payload, signal);
      } catch (error) {
        const code = codeOf(error);
        // Unexpected errors are retried until the job runs out of attempts.
        if (signal.aborted || code === undefined) {
          throw error;
        }
        log.info({ ...payload, err: error }, 'the source of an OpenAPI specification could not be read');
        await fail(payload, code);
      }
    },
    async ({ payload }) => {
      // The contract has no code for failures that the source did not cause.
      const cause = 'an internal error: a crash, a timeout or a failure of the database';
      log.warn(
        payload,
        `the processing of an OpenAPI specification failed, reported as PARSE_ERROR, after ${cause}`,
      );
      await fail(payload, 'PARSE_ERROR');
    },
  );
}

/** Processes a source. Can be repeated: before its last transaction, it only writes the state `progress`. */
async function processSource(services: Services, source: SpecSource, signal: AbortSignal): Promise<void> {
  const { database } = services;
  const row = await database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('openAPISpecs')
      .select(['sourceURL', 'sourceText'])
      .where('id', '=', source.spec)
      .where('generation', '=', source.generation)
      .where('processingState', '!=', 'complete')
      .executeTakeFirst();
    if (row) {
      await current(trx, source).set({ processingState: 'progress' }).execute();
    }
    return row;
  });
  // Deleted meanwhile, replaced by another source with its own job, or completed by a process that then crashed.
  if (!row) {
    return;
  }
  const text = row.sourceText ?? (await fetchText(services, row.sourceURL ?? '', signal));
  const document = await parseSpecification(text, signal);
  const version = {
    hash: hashOf(text),
    format: isJson(text) ? ('json' as const) : ('yaml' as const),
    text,
    document: writeJson({ ...document }),
  };
  await database.transaction((trx) => storeVersion(trx, services, source, version));
}

async function fetchText({ outgoing }: Services, url: string, signal: AbortSignal): Promise<string> {
  await using fetcher = new Fetcher(outgoing.allow);
  const {
    url: fetched,
    status,
    body,
    charset,
  } = await fetcher.fetch(url, {
    maxBytes: MAX_SPECIFICATION_BYTES,
    timeout: SPECIFICATION_FETCH_TIMEOUT_MS,
    signal,
    accept: 'application/json, application/yaml, application/vnd.oai.openapi, text/yaml, */*;q=0.5',
  });
  if (status < 200 || status > 299) {
    throw new OutgoingError('failed', `${displayUrl(fetched)} returned the status ${status}. Check the URL.`);
  }
  return storableText(decoderOf(charset).decode(body));
}

function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}

/** The content of a version. */
type NewVersion = Pick<Insertable<OpenAPISpecVersionsTable>, 'hash' | 'format' | 'text' | 'document'>;

/** Stores a text as the latest version, unless the latest version has the same text. */
async function storeVersion(
  trx: Transaction,
  services: Services,
  source: SpecSource,
  version: NewVersion,
): Promise<void> {
  const spec = await trx
    .selectFrom('openAPISpecs')
    .select(['id', 'organization', 'slug', 'lastVersion'])
    .where('id', '=', source.spec)
    .where('generation', '=', source.generation)
    .executeTakeFirst();
  if (!spec) {
    return;
  }
  const last =
    spec.lastVersion === null
      ? undefined
      : await trx
          .selectFrom('openAPISpecVersions')
          .select('hash')
          .where('id', '=', spec.lastVersion)
          .executeTakeFirst();
  if (last?.hash === version.hash) {
    return await finish(trx, services, source, { lastProcessErrorCode: null });
  }
  const id = services.createId('oav');
  await trx
    .insertInto('openAPISpecVersions')
    .values({
      id,
      organization: spec.organization,
      spec: source.spec,
      ...version,
      createdAt: services.clock().toISOString(),
    })
    .execute();
  await finish(trx, services, source, { lastVersion: id, lastProcessErrorCode: null });
  await enqueueDependentIndexing(trx, services, spec);
}

/** Records the outcome of processing a source, if it still is the current one. */
async function finish(
  trx: Transaction,
  { clock }: Services,
  source: SpecSource,
  outcome: { lastVersion?: string; lastProcessErrorCode: ErrorCode | null },
): Promise<void> {
  const now = clock().toISOString();
  await current(trx, source)
    .set({ ...outcome, processingState: 'complete', sourceText: null, lastProcessedAt: now, updatedAt: now })
    .execute();
}

const current = (trx: Transaction, { spec, generation }: SpecSource) =>
  trx.updateTable('openAPISpecs').where('id', '=', spec).where('generation', '=', generation);

/** Returns the reported error code; undefined if the error was not caused by the source. */
function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof SpecificationError) {
    return 'PARSE_ERROR';
  }
  if (!(error instanceof OutgoingError) || error.code === 'aborted') {
    return undefined;
  }
  return error.code === 'timeout' ? 'FETCH_TIMEOUT' : 'FETCH_ERROR';
}
