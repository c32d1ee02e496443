import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Generator } from '../../spec/toolchain/generate/generate.ts';
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
import { REPORT_VARIABLE, type TestReport } from './reporter.ts';

/** Runs parts of the gate on the current state of a copy. */
export interface PartRunner {
  /** Updates the generated files. A contract with errors leaves them unchanged. */
  generate(): Promise<void>;
  /**
   * Runs one part.
   *
   * @param only patterns of the names of tests, or operations of a conformance run; empty means all
   * @returns its report; empty if it succeeds
   */
  run(part: ExpectedFailure['part'], only: readonly string[]): Promise<string>;
  /** Clears the cached output of the contract: call it after files have changed. */
  changed(): void;
}

/**
 * Creates a runner for a copy. Compilers stay loaded, so that the contract is recompiled in a second or two.
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
    const step = steps.find((step) => step.name === name);
    if (!step) {
      throw new Error(`The check has no step "${name}". Update the steps in test/gate/mutation.ts.`);
    }
    const failure = await step
      .run({ project, output: once.run })
      // As in the check, a step that cannot complete fails.
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

/** Returns the breaking changes from the last release to the generated document. */
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
  // The documented output of the command.
  const { changes } = JSON.parse(output) as {
    changes: { operation: string; location: string; message: string; level: string }[];
  };
  return changes
    .filter(({ level }) => level === 'breaking')
    .map(({ operation, location, message }) => `${operation}, ${location}: ${message}`)
    .join('\n');
}

/**
 * Returns the failing tests of one file with their messages; on SQLite if tests run on several engines. Tests that fail
 * for a reason other than an assertion are reported differently, so that no mutation is caught by a timeout, by its
 * setup, or by code that does not run.
 */
async function runTests(root: string, file: string, only: readonly string[]): Promise<string> {
  const report = join(root, 'failures.json');
  const names = only.length === 0 ? [] : ['-t', only.join('|')];
  const { output } = await runNode(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...['--config', 'test/vitest.config.ts', '--project', projectOf(file)],
      '--reporter=./test/gate/reporter.ts',
      ...names,
      file,
    ],
    { cwd: root, environment: { [REPORT_VARIABLE]: report } },
  );
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`The tests of ${file} wrote no report:\n${output}`);
  });
  await rm(report);
  // Written by the reporter.
  const { ran, failures } = JSON.parse(text) as TestReport;
  if (failures.length === 0 && ran === 0) {
    throw new Error(
      `No test of ${file} has a name that matches ${only.join('|')}. Update the mutation in test/gate/mutations.`,
    );
  }
  return failures
    .map(({ name, isAssertion, message }) =>
      isAssertion ? `failed: ${name}: ${message}` : `no assertion failed: ${name}: ${message}`,
    )
    .join('\n');
}

/** Returns the first project of `test/vitest.config.ts` that contains a file. */
const projectOf = (file: string): string => (file.startsWith('test/guides/') ? 'guides' : 'sqlite');

/** Returns the steps of the check that read the content of a file, rather than its format. */
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
