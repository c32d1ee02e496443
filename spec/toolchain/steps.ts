import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { findBiome, runBiome } from './biome.ts';
import { listed } from './diff/canonical.ts';
import { entriesOf } from './diff/collapse.ts';
import { compareWithReleased, releasedFiles } from './diff/released.ts';
import { type Comparison, unapproved } from './diff/report.ts';
import { unhandledFeatures } from './features.ts';
import { driftOf, formatDrift, type Made } from './generate.ts';
import { formatProblem } from './problem.ts';
import { commandLine, commandText, contractFolder, isTypeSpec, type Project, pathIn } from './project.ts';
import { typeCheck } from './type-check.ts';

/** Why a step is red, for a person who has not met it before. */
export interface Failure {
  /** What happened, in one sentence. */
  what: string;
  /** The places and messages. */
  details: string[];
  /** Why that matters. */
  why: string;
  /** The command or the edit that mends it. */
  mend: string;
}

/** What a step works with. */
export interface StepContext {
  project: Project;
  /** What the contract makes now; compiled once for all steps. */
  made(): Promise<Made>;
}

/** One thing that `check` looks at. */
export interface Step {
  name: string;
  /** Answers why there is nothing for it to look at in a project, if so. */
  skip?(project: Project): string | undefined;
  /** Answers why it is red, or nothing when it is green. */
  run(context: StepContext): Promise<Failure | undefined>;
}

/** Everything `check` looks at. A further step is a further row. */
export const steps: readonly Step[] = [
  { name: 'format', skip: withoutBiome, run: ({ project }) => checkCodeFormat(project) },
  { name: 'contract format', skip: withoutTypeSpec, run: ({ project }) => checkContractFormat(project) },
  { name: 'lint', skip: withoutBiome, run: ({ project }) => checkLint(project) },
  { name: 'contract', run: checkContract },
  { name: 'features', skip: elsewhere, run: checkFeatures },
  { name: 'drift', run: checkDrift },
  { name: 'released', skip: withoutRelease, run: checkReleased },
  { name: 'types', skip: withoutSettings, run: ({ project }) => checkTypes(project) },
];

function withoutBiome(project: Project): string | undefined {
  const biome = findBiome(project);
  return 'missing' in biome ? biome.missing : undefined;
}

function withoutTypeSpec(project: Project): string | undefined {
  return isTypeSpec(project)
    ? undefined
    : 'the contract is no TypeSpec, for which alone there is a formatter';
}

function elsewhere({ tool }: Project): string | undefined {
  return tool === 'npm run' ? undefined : 'what a server handles of OpenAPI is for that server to say';
}

/** A project that has released nothing yet has nothing to keep. */
function withoutRelease(project: Project): string | undefined {
  const { contract } = releasedFiles(project);
  return existsSync(pathIn(project, contract)) ? undefined : `nothing was released: there is no ${contract}`;
}

function withoutSettings(project: Project): string | undefined {
  return existsSync(pathIn(project, project.tsconfig))
    ? undefined
    : `there is no ${project.tsconfig}, so no code is typed against the contract`;
}

async function checkCodeFormat(project: Project): Promise<Failure | undefined> {
  const found = await runBiome(project, 'format');
  const files = found.map(({ file }) => `${file ?? 'a file'} is not formatted`);
  if (files.length === 0) return undefined;
  return {
    what: 'Files are not formatted.',
    details: files,
    why: 'One format for all keeps differences between versions about content.',
    mend: 'npx biome format --write .',
  };
}

async function checkContractFormat(project: Project): Promise<Failure | undefined> {
  const { checkFormatTypeSpec } = await import('@typespec/compiler');
  const details: string[] = [];
  for await (const file of glob(`${contractFolder(project)}/**/*.tsp`, {
    cwd: project.root,
    exclude: ['**/node_modules/**'],
  })) {
    const text = await readFile(pathIn(project, file), 'utf8');
    // A file that does not parse cannot be formatted; what is wrong with it is for the step "contract" to say.
    const formatted = await checkFormatTypeSpec(text).catch(() => true);
    if (!formatted) details.push(`${file} is not formatted`);
  }
  if (details.length === 0) return undefined;
  return {
    what: 'TypeSpec files are not formatted.',
    details: details.sort(),
    why: 'One format for all keeps differences between versions about content.',
    mend: `npx tsp format "${contractFolder(project)}/**/*.tsp"`,
  };
}

async function checkLint(project: Project): Promise<Failure | undefined> {
  const problems = await runBiome(project, 'lint');
  if (problems.length === 0) return undefined;
  return {
    what: `The linter found ${count(problems.length, 'fault')}.`,
    details: problems.map(formatProblem),
    why: 'Its rules point at likely bugs and at what the house style forbids.',
    mend: 'npx biome lint --write . mends what can be mended safely; edit the rest at the places above.',
  };
}

/** Warnings count as errors here: a contract with warnings says something other than its author thinks. */
async function checkContract({ project, made }: StepContext): Promise<Failure | undefined> {
  const { problems } = await made();
  if (problems.length === 0) return undefined;
  return {
    what: `The contract has ${count(problems.length, 'fault')}.`,
    details: problems.map(formatProblem),
    why: 'Everything follows from the contract; warnings count, since they too mean that it may not say what it seems to.',
    mend: `Edit ${isTypeSpec(project) ? contractFolder(project) : project.contract} at the places above, then: ${commandLine(project, 'generate')}`,
  };
}

async function checkFeatures({ project, made }: StepContext): Promise<Failure | undefined> {
  const { document } = await made();
  if (document === undefined) return blocked;
  const problems = unhandledFeatures(document);
  if (problems.length === 0) return undefined;
  return {
    what: `The contract uses features of OpenAPI that nothing here is known to handle, at ${count(problems.length, 'place')}.`,
    details: problems.map(formatProblem),
    why: 'Types, client and server would pass over them in silence.',
    mend: `Say it another way in ${contractFolder(project)}, or handle the feature and list it in spec/toolchain/features.ts.`,
  };
}

async function checkDrift({ project, made }: StepContext): Promise<Failure | undefined> {
  const result = await made();
  if (result.document === undefined) return blocked;
  const drifts = await driftOf(project, result);
  if (drifts.length === 0) return undefined;
  return {
    what: 'Generated files differ from what the contract makes.',
    details: drifts.map(formatDrift),
    why: 'The contract was changed without generating again, or a generated file was edited by hand.',
    mend: `${commandLine(project, 'generate')}, and commit what it wrote.`,
  };
}

async function checkReleased({ project, made }: StepContext): Promise<Failure | undefined> {
  const { document } = await made();
  if (document === undefined) return blocked;
  const comparison = await compareWithReleased(project, document);
  return comparison && (brokenRelease(project, comparison) ?? idleApprovals(project, comparison));
}

function brokenRelease(project: Project, comparison: Comparison): Failure | undefined {
  const breaks = unapproved(comparison);
  if (breaks.length === 0) return undefined;
  const { contract, approvals } = releasedFiles(project);
  const args = [contract, `${project.generated}/openapi.json`, '--approvals', approvals];
  return {
    what: `The contract breaks its last release, ${comparison.base.release}, at ${count(breaks.length, 'place')}.`,
    details: [
      ...entriesOf(breaks).map(
        ({ change: { message }, operations, wheres }) =>
          `${listed(operations, 4)}, ${listed(wheres, 4)}: ${message}`,
      ),
      ...comparison.judgement.notices,
    ],
    why: 'Clients that were written against the release fail with the new contract.',
    mend:
      `${commandText(project, 'diff', args)} says why and how to do it compatibly. ` +
      `A break that is meant goes into ${approvals}, with its reason.`,
  };
}

/** An approval is for one break with one release: what outlives either would let a later break pass unseen. */
function idleApprovals(project: Project, { judgement }: Comparison): Failure | undefined {
  if (judgement.notices.length === 0) return undefined;
  const { approvals } = releasedFiles(project);
  return {
    what: `${approvals} holds ${judgement.notices.length === 1 ? 'an approval' : `${judgement.notices.length} approvals`} of nothing that breaks.`,
    details: judgement.notices,
    why: 'An approval ends with the release that it names; one that stays lets a later break pass that nobody meant.',
    mend: `Remove these entries from ${approvals}, or mend their spelling.`,
  };
}

/** What the steps that look at the made document say when there is none. */
const blocked: Failure = {
  what: 'There was nothing to look at.',
  details: [],
  why: 'The contract has errors, so nothing can be made from it.',
  mend: 'Mend the step "contract" first.',
};

async function checkTypes(project: Project): Promise<Failure | undefined> {
  const problems = await typeCheck(project);
  if (problems.length === 0) return undefined;
  return {
    what: `The type check found ${count(problems.length, 'error')}.`,
    details: problems.map(formatProblem),
    why: 'Code and contract do not fit together at these places.',
    mend: `Edit the places above; while you do, "${commandText(project, 'dev', [])}" shows what is left.`,
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
