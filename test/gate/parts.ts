import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generator } from '../../spec/toolchain/generate.ts';
import {
  createGenerator,
  type GeneratorOutput,
  generate,
  resolveProject,
  steps,
} from '../../spec/toolchain/main.ts';
import { runConform } from './conform.ts';
import type { Copy } from './copy.ts';
import { type ExpectedFailure, STEPS, type StepName } from './mutation.ts';
import { runNode } from './programs.ts';

/** Runs parts of the gate over a copy as it stands. */
export interface PartRunner {
  /** Brings the generated files up to the contract. A contract with errors leaves them as they are. */
  generate(): Promise<void>;
  /**
   * Runs one part.
   *
   * @param only of tests the patterns of names, of a conformance run the operations; empty means all
   * @returns what it reports; nothing when it is green
   */
  run(part: ExpectedFailure['part'], only: readonly string[]): Promise<string>;
  /** Forgets what the contract made: call it when files have changed. */
  changed(): void;
}

/**
 * A bench over a copy: the compilers stay loaded, so that the contract is read anew in a second or two.
 * @param options.maxRequests limit of the requests of a conformance run
 */
export function createPartRunner({ root }: Copy, options: { maxRequests?: number } = {}): PartRunner {
  const project = resolveProject({ root });
  const generator = createGenerator(project);
  let output: Promise<GeneratorOutput> | undefined;
  const once: Generator = {
    run: () => {
      output ??= generator.run();
      return output;
    },
  };

  const runStep = async (name: StepName): Promise<string> => {
    const step = steps.find((one) => one.name === name);
    if (!step) {
      throw new Error(`The check has no step "${name}". Name those that it has in test/gate/mutation.ts.`);
    }
    const failure = await step
      .run({ project, output: once.run })
      // As in the check, a step that cannot run to its end is red.
      .catch((error: unknown) => ({ summary: String(error), details: [] }));
    return failure ? [failure.summary, ...failure.details].join('\n') : '';
  };

  return {
    async generate() {
      await generate(project, once);
    },
    async run(part, only) {
      if (isStep(part)) {
        return await runStep(part);
      }
      if (part === 'diff') {
        return await runDiff(root);
      }
      if (part === 'conform') {
        return await runConform(root, only, options.maxRequests);
      }
      return await runTests(root, part, only);
    },
    changed() {
      output = undefined;
    },
  };
}

export const isStep = (part: string): part is StepName => STEPS.some((name) => name === part);

/** The breaking changes from the last release to the generated document. */
async function runDiff(root: string): Promise<string> {
  const documents = ['spec/released/openapi.json', 'generated/openapi.json'];
  const options = ['--approvals', 'spec/released/approvals.yaml', '--format', 'json'];
  const { code, output } = await runNode(['spec/toolchain/cli.ts', 'diff', ...documents, ...options], {
    cwd: root,
  });
  if (code === 0) {
    return '';
  }
  if (code !== 1) {
    return output;
  }
  // The command promises this shape to scripts.
  const { changes } = JSON.parse(output) as {
    changes: { operation: string; location: string; message: string; level: string }[];
  };
  return changes
    .filter(({ level }) => level === 'breaking')
    .map(({ operation, location, message }) => `${operation}, ${location}: ${message}`)
    .join('\n');
}

/** The failing tests of one file, each with its message; on the embedded database where tests run on several. */
async function runTests(root: string, file: string, only: readonly string[]): Promise<string> {
  const report = join(root, 'failures.json');
  const projects = ['--project', 'unit', '--project', 'sqlite', '--project', 'journeys'];
  const names = only.length === 0 ? [] : ['-t', only.join('|')];
  const { output } = await runNode(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      ...projects,
      '--reporter=json',
      `--outputFile=${report}`,
      ...names,
      file,
    ],
    { cwd: root },
  );
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`The tests of ${file} gave no report. They said:\n${output}`);
  });
  await rm(report);
  // The runner's own format.
  const { numTotalTests, testResults } = JSON.parse(text) as VitestReport;
  const failures = testResults.flatMap(({ message, status, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (status === 'failed' && failed.length === 0) {
      return [`failed: ${file}: ${message}`];
    }
    return failed.map(
      ({ fullName, failureMessages }) => `failed: ${fullName}: ${failureMessages.join('\n')}`,
    );
  });
  if (failures.length === 0 && ran(testResults) === 0) {
    throw new Error(
      `No test of ${file} has a name that matches ${only.join('|')} (of ${numTotalTests}). ` +
        'A mutation in test/gate/mutations names one that is no more.',
    );
  }
  return failures.join('\n');
}

interface VitestReport {
  numTotalTests: number;
  testResults: {
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

const ran = (results: VitestReport['testResults']) =>
  results.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'passed')
    .length;

/** The steps of the check that look at what a file says, and not at how it is written. */
export function stepsOver(file: string): StepName[] {
  const contract = file.endsWith('.tsp') || file === 'tspconfig.yaml' || file.startsWith('spec/checks');
  if (contract) {
    return ['contract', 'features', 'drift', 'released'];
  }
  if (file.startsWith('spec/released/')) {
    return ['released'];
  }
  return [
    ...(file.startsWith('generated/') ? (['drift'] as const) : []),
    ...(file.endsWith('.ts') ? (['types'] as const) : []),
  ];
}
