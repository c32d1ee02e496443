import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files with tests that take long. */
const SLOW_FILES = [
  'test/toolchain/gate.test.ts',
  'test/toolchain/mock/conformance.test.ts',
  'test/journeys/browser/reading-templates.test.ts',
];

/** Files that wait, for deadlines or processes, for more than a third of their time; longest first. */
const WAITING_FILES = [
  'test/journeys/process/jobs.test.ts',
  'test/service/database/outages-postgres.test.ts',
  'test/journeys/process/crash.test.ts',
  'test/service/database/outages-sqlite.test.ts',
  'test/toolchain/conform/run/stopping.test.ts',
  'test/service/translations/failures.test.ts',
  'test/journeys/process/outage.test.ts',
  'test/unit/sandbox/abuse.test.ts',
  'test/journeys/process/stop.test.ts',
  'test/journeys/process.test.ts',
  'test/service/git/runs.test.ts',
  'test/service/integrations/event-delivery.test.ts',
  'test/service/openapi-specs/openapi-specs.test.ts',
  'test/journeys/process/translation.test.ts',
];

const positionIn =
  (list: readonly string[]) =>
  ({ moduleId }: TestSpecification): number =>
    list.findIndex((file) => moduleId.endsWith(file));
const slowPosition = positionIn(SLOW_FILES);
const waitingPosition = positionIn(WAITING_FILES);

/**
 * Starts with large files, like vitest, and in each project with {@link SLOW_FILES}, which would otherwise run alone at
 * the end. {@link WAITING_FILES} are distributed, so that rarely more than one worker waits.
 */
export class BalancedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((ordered) => {
      const waiting = ordered.filter((file) => waitingPosition(file) >= 0);
      const slow = ordered.filter((file) => slowPosition(file) >= 0);
      const others = ordered.filter((file) => waitingPosition(file) < 0 && slowPosition(file) < 0);
      return distribute(
        waiting.toSorted((a, b) => waitingPosition(a) - waitingPosition(b)),
        [...slow, ...others],
      );
    });
  }
}

/** Inserts files between others, so that the others between two of them and after the last have about the same size. */
function distribute(files: readonly TestSpecification[], others: readonly TestSpecification[]) {
  const sizes = others.map(({ moduleId }) => statSync(moduleId).size);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let precedingBytes = 0;
  const positioned = [
    ...files.map((file, index) => ({ file, position: index / (files.length + 1) })),
    ...others.map((file, index) => {
      const position = precedingBytes / totalBytes;
      precedingBytes += sizes[index] ?? 0;
      return { file, position };
    }),
  ];
  return positioned.sort((a, b) => a.position - b.position).map(({ file }) => file);
}
