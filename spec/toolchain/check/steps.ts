import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Comparison, unapproved } from '../diff/comparison.ts';
import { entriesOf } from '../diff/entries.ts';
import { compareWithReleased } from '../diff/released.ts';
import { findDrifts, formatDrift, type GeneratorOutput } from '../generate/generate.ts';
import { unsupportedLines } from '../generate/unsupported-operations.ts';
import { formatProblem } from '../problem.ts';
import {
  commandLine,
  commandText,
  contractFolder,
  contractSources,
  generatedPaths,
  isTypeSpec,
  type Project,
  pathIn,
  releasedFiles,
} from '../project.ts';
import { count, listed } from '../report/text.ts';
import { findBiome, runBiome } from './biome.ts';
import { unhandledFeatures } from './features.ts';
import { checkGeneratedTypes } from './generated-types.ts';
import { typeCheck } from './type-check.ts';
import { reviewProblems } from './warning-approvals.ts';

/** Reason why a step is red, for readers who see it for the first time. */
export interface Failure {
  /** What happened, in one sentence. */
  summary: string;
  /** Locations and messages. */
  details: string[];
  /** Why that matters. */
  why: string;
  /** Command or edit that fixes it. */
  fix: string;
}

/** Input of a step. */
export interface StepContext {
  project: Project;
  /** Whether operations that the server runtime cannot serve fail a step. */
  isStrict?: boolean;
  /** Output of the generator for the current contract; computed once for all steps. */
  output(): Promise<GeneratorOutput>;
}

/** Step of `check`. */
export interface Step {
  name: string;
  /** Returns the reason why the step does not apply to a project, if so. */
  skip?(project: Project): string | undefined;
  /** Returns the reason why the step is red, or `undefined` if it is green. */
  run(context: StepContext): Promise<Failure | undefined>;
  /** Returns what a green step reports. */
  notes?(context: StepContext): Promise<string[]>;
}

/** Steps of `check`. */
export const steps: readonly Step[] = [
  { name: 'format', skip: withoutBiome, run: ({ project }) => checkCodeFormat(project) },
  { name: 'contract format', skip: withoutTypeSpec, run: ({ project }) => checkContractFormat(project) },
  { name: 'lint', skip: withoutBiome, run: ({ project }) => checkLint(project) },
  { name: 'contract', run: checkContract },
  { name: 'served', run: checkServed, notes: async ({ output }) => unsupportedLines(await output()) },
  { name: 'features', skip: skipWithoutServer, run: checkFeatures },
  { name: 'drift', run: checkDrift },
  { name: 'generated types', run: checkGenerated },
  { name: 'released', skip: withoutRelease, run: checkReleased },
  { name: 'types', skip: withoutSettings, run: ({ project }) => checkTypes(project) },
];

function withoutBiome(project: Project): string | undefined {
  const biome = findBiome(project);
  return 'missing' in biome ? biome.missing : undefined;
}

function withoutTypeSpec(project: Project): string | undefined {
  return isTypeSpec(project) ? undefined : 'the contract is an OpenAPI document, which has no formatter';
}

function skipWithoutServer({ tool }: Project): string | undefined {
  return tool === 'npm run' ? undefined : 'the OpenAPI features that your server supports are unknown';
}

function withoutRelease(project: Project): string | undefined {
  const { contract } = releasedFiles(project);
  return existsSync(pathIn(project, contract))
    ? undefined
    : `no release to compare with: ${contract} does not exist`;
}

function withoutSettings(project: Project): string | undefined {
  return existsSync(pathIn(project, project.tsconfig))
    ? undefined
    : `${project.tsconfig} does not exist, so there is no code to check`;
}

async function checkCodeFormat(project: Project): Promise<Failure | undefined> {
  const problems = await runBiome(project, 'format');
  const files = problems.map(({ file }) => `${file ?? 'a file'} is not formatted`);
  if (files.length === 0) {
    return undefined;
  }
  return {
    summary: 'Files are not formatted.',
    details: files,
    why: 'With one format, diffs show only changes of content.',
    fix: 'npx biome format --write .',
  };
}

async function checkContractFormat(project: Project): Promise<Failure | undefined> {
  const { checkFormatTypeSpec } = await import('@typespec/compiler');
  const details: string[] = [];
  for await (const file of glob(posix.join(contractFolder(project), '**/*.tsp'), {
    cwd: project.root,
    exclude: ['**/node_modules/**'],
  })) {
    const text = await readFile(pathIn(project, file), 'utf8');
    // A file that does not parse is reported by the step "contract".
    const formatted = await checkFormatTypeSpec(text).catch(() => true);
    if (!formatted) {
      details.push(`${file} is not formatted`);
    }
  }
  if (details.length === 0) {
    return undefined;
  }
  return {
    summary: 'TypeSpec files are not formatted.',
    details: details.sort(),
    why: 'With one format, diffs show only changes of content.',
    fix: `npx tsp format "${posix.join(contractFolder(project), '**/*.tsp')}"`,
  };
}

async function checkLint(project: Project): Promise<Failure | undefined> {
  const problems = await runBiome(project, 'lint');
  if (problems.length === 0) {
    return undefined;
  }
  return {
    summary: `The linter reports ${count(problems.length, 'problem')}.`,
    details: problems.map(formatProblem),
    why: 'Its rules detect likely bugs and violations of the code style.',
    fix: 'Run npx biome lint --write . for safe fixes, and edit the remaining locations above.',
  };
}

/**
 * Warnings are errors here unless they are approved: they usually mean that the contract does not state what its author
 * intended.
 */
async function checkContract({ project, output }: StepContext): Promise<Failure | undefined> {
  const { problems, notices } = await reviewProblems(project, await output());
  if (problems.length === 0) {
    return unusedApprovals(project, notices);
  }
  const { approvals } = releasedFiles(project);
  return {
    summary: `The contract has ${count(problems.length, 'problem')}.`,
    details: [...problems.map(formatProblem), ...notices],
    why: 'Types, client and server are generated from the contract. Warnings also fail the step: they usually mean that it does not state what was intended.',
    fix:
      `Edit ${contractSources(project)} at the locations above, then run: ${commandLine(project, 'generate')}. ` +
      `Warnings of a contract that you cannot edit can be approved in ${approvals} with a reason: add the list "warnings".`,
  };
}

/** Operations that the server cannot serve refuse themselves. They fail the step for a server of the whole contract. */
async function checkServed(context: StepContext): Promise<Failure | undefined> {
  const details = unsupportedLines(await context.output());
  if (details.length === 0 || !(context.isStrict || context.project.tool === 'npm run')) {
    return undefined;
  }
  return {
    summary: `The server cannot serve the contract at ${count(details.length, 'place')}.`,
    details,
    why: 'Requests to these operations receive a 501.',
    fix: `Express them differently in ${contractSources(context.project)}, or omit --strict and serve them with Express.`,
  };
}

async function checkFeatures({ project, output }: StepContext): Promise<Failure | undefined> {
  const { document } = await output();
  if (document === undefined) {
    return blocked;
  }
  const problems = unhandledFeatures(document);
  if (problems.length === 0) {
    return undefined;
  }
  return {
    summary: `The contract uses unsupported OpenAPI features at ${count(problems.length, 'location')}.`,
    details: problems.map(formatProblem),
    why: 'Types, client and server would ignore them silently.',
    fix: `Express it differently in ${contractSources(project)}, then run: ${commandLine(project, 'generate')}`,
  };
}

async function checkDrift({ project, output }: StepContext): Promise<Failure | undefined> {
  const current = await output();
  if (current.document === undefined) {
    return blocked;
  }
  const drifts = await findDrifts(project, current);
  if (drifts.length === 0) {
    return undefined;
  }
  return {
    summary: 'Generated files do not match the contract.',
    details: drifts.map(formatDrift),
    why: 'The contract changed after the last generation, or a generated file was edited.',
    fix: `Run ${commandLine(project, 'generate')}, and commit the written files.`,
  };
}

async function checkGenerated({ project, output }: StepContext): Promise<Failure | undefined> {
  // Without a document, there are no files; other steps report the reason.
  const problems = await checkGeneratedTypes(project, await output());
  if (problems.length === 0) {
    return undefined;
  }
  return {
    summary: `The generated types have ${count(problems.length, 'error')}.`,
    details: problems.map(formatProblem),
    why: 'Compilers that skip declaration files use any for such types, so that the code is not checked.',
    fix: `Express the named schemas or operations differently in ${contractSources(project)}, and report this: it is a fault of the toolchain.`,
  };
}

async function checkReleased({ project, output }: StepContext): Promise<Failure | undefined> {
  const { document } = await output();
  if (document === undefined) {
    return blocked;
  }
  const comparison = await compareWithReleased(project, document);
  return (
    comparison &&
    (breakingChanges(project, comparison) ?? unusedApprovals(project, comparison.approvalResult.notices))
  );
}

function breakingChanges(project: Project, comparison: Comparison): Failure | undefined {
  const breaks = unapproved(comparison);
  if (breaks.length === 0) {
    return undefined;
  }
  const { contract, approvals } = releasedFiles(project);
  const args = [
    contract,
    generatedPaths(project).document,
    ...(existsSync(pathIn(project, approvals)) ? ['--approvals', approvals] : []),
  ];
  return {
    summary: `The contract breaks its last release, ${comparison.base.release}, at ${count(breaks.length, 'location')}.`,
    details: [
      ...entriesOf(breaks).map(
        ({ change: { message }, operations, locations }) =>
          `${listed(operations, 4)}, ${listed(locations, 4)}: ${message}`,
      ),
      ...comparison.approvalResult.notices,
    ],
    why: 'Clients of the release fail with the new contract.',
    fix:
      `Run ${commandText(project, 'diff', args)} for the reasons and compatible alternatives. ` +
      `If a break is intended, approve it in ${approvals} with a reason.`,
  };
}

/** An approval covers one release; an unused one could approve a later problem by accident. */
function unusedApprovals(project: Project, notices: readonly string[]): Failure | undefined {
  if (notices.length === 0) {
    return undefined;
  }
  const { approvals } = releasedFiles(project);
  return {
    summary: `${approvals} contains ${count(notices.length, 'unused approval')}.`,
    details: [...notices],
    why: 'An approval is valid only for the release that it names. An unused one could approve a later, unintended problem.',
    fix: `Remove these entries from ${approvals}, or correct their spelling.`,
  };
}

/** Failure of the steps that need a document, if the contract has errors. */
const blocked: Failure = {
  summary: 'There is no document to check.',
  details: [],
  why: 'The contract has errors, so nothing was generated from it.',
  fix: 'Fix the step "contract" first.',
};

async function checkTypes(project: Project): Promise<Failure | undefined> {
  const problems = await typeCheck(project);
  if (problems.length === 0) {
    return undefined;
  }
  return {
    summary: `The type check reports ${count(problems.length, 'error')}.`,
    details: problems.map(formatProblem),
    why: 'The code does not match the contract at these locations.',
    fix: `Edit the locations above. To see the remaining errors while you edit, run: ${commandLine(project, 'dev')}`,
  };
}
