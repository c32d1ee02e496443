/**
 * The commands as functions, for any contract.
 *
 * @example
 * const project = resolveProject({ root: '/some/repository', contract: 'api/main.tsp' });
 * const { problems, written } = await generate(project);
 */
export { formatResults, runChecks, type StepResult } from './check/check.ts';
export { unhandledFeatures } from './check/features.ts';
export { type Failure, type Step, type StepContext, steps } from './check/steps.ts';
export { type Dev, type DevOptions, startDev } from './dev/dev.ts';
export {
  type Approval,
  type ApprovalResult,
  applyApprovals,
  readApprovals,
} from './diff/approvals.ts';
export type { Change } from './diff/change.ts';
export { compare, type DiffOptions } from './diff/compare.ts';
export { type Comparison, unapproved } from './diff/comparison.ts';
export { diffDocuments } from './diff/diff.ts';
export { type Format, formats } from './diff/report/report.ts';
export type { OpenApiDocument } from './document.ts';
export {
  createGenerator,
  findDrifts,
  formatDrift,
  type GenerateResult,
  type Generator,
  type GeneratorOutput,
  generate,
} from './generate/generate.ts';
export { type RunningMock, startMock } from './mock/command.ts';
export type { MockOptions } from './mock/listen.ts';
export { formatProblem, hasErrors, type Problem } from './problem.ts';
export { type Project, resolveProject } from './project.ts';
export { documentOf, readSource, type Source } from './source.ts';
