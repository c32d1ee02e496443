import type { TestEngine } from '../../support/database/engines.ts';

/**
 * The migrations in the order of their merge, each with the digest of the schema after it on each engine. Only append:
 * databases that ran these migrations exist.
 */
export const LANDED_MIGRATIONS: ReadonlyArray<
  readonly [name: string, digests: Readonly<Record<TestEngine, string>>]
> = [
  ['baseline', { sqlite: 'bf251373c404b187', postgres: '28b61f0400da2c81' }],
  ['filtered-counts', { sqlite: 'ee7f15219c5dca31', postgres: '44c963a7b0882af1' }],
  ['work-notifications', { sqlite: 'ee7f15219c5dca31', postgres: 'c39b32da02c8290f' }],
  ['trace-parents', { sqlite: '9eb4d791ade15343', postgres: 'bea7fc55b1a08220' }],
  ['stored-files', { sqlite: 'df63f8c78c6995df', postgres: 'e040eec78c29098a' }],
  ['quotas', { sqlite: 'f6192d136ca2225c', postgres: '27d1d8574bbf28a1' }],
  ['section-counts', { sqlite: '07425b27abb8b316', postgres: '8fe8585bcc132ea9' }],
];
