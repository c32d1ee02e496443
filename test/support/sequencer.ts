import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of the last project whose tests take long, although the files are short. */
const SLOW_FILES = [
  'test/toolchain/gate.test.ts',
  'test/toolchain/conform/run-stopping.test.ts',
  'test/toolchain/mock/conformance.test.ts',
];

/**
 * Starts with large files, like vitest, and in each project with {@link SLOW_FILES}, which would otherwise run alone at
 * the end.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project);
    return [...byProject.values()].flatMap((ordered) => {
      const isSlow = ({ moduleId }: TestSpecification) => SLOW_FILES.some((file) => moduleId.endsWith(file));
      return [...ordered.filter(isSlow), ...ordered.filter((file) => !isSlow(file))];
    });
  }
}
