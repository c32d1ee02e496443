import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { CHUNK_BYTES, findBlob, readBlob } from '../../../server/content/store/blobs.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { createEarlierDatabase } from '../../support/earlier-release.ts';
import { testLocation } from '../../support/engines.ts';

test('keeps files of an earlier release readable in chunks, under the same hashes', async () => {
  const { location, remove } = await testLocation({ blank: true });
  const sizes = [0, 1, CHUNK_BYTES, 3 * CHUNK_BYTES + 17];
  const files = ['org_a', 'org_b'].flatMap((organization) =>
    sizes.map((size) => ({
      organization,
      hash: `hash of ${size}`,
      size,
      data: Buffer.alloc(size, `${size},`),
    })),
  );
  await createEarlierDatabase(location, '0008-searched-entries', async (before) => {
    for (const { organization, hash, size, data } of files) {
      await sql`insert into "blobs" ("organization", "hash", "size", "data")
        values (${organization}, ${hash}, ${size}, ${data})`.execute(before);
    }
  });

  const database = await openDatabase(location);
  for (const { organization, hash, size, data } of files) {
    expect((await findBlob(database.query, organization, hash))?.size).toBe(size);
    const bytes = await readBlob(database.query, organization, hash);
    expect(bytes && data.equals(bytes)).toBe(true);
  }
  const chunks = await database.query.selectFrom('blobChunks').select('index').execute();
  expect(chunks).toHaveLength(2 * (1 + 1 + 4));
  await database.close();
  await remove();
});
