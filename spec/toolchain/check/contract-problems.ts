import { emptySchemas } from '../documents/empty-schemas.ts';
import type { GeneratorOutput } from '../generate/generate.ts';
import { forbiddenDefaults } from '../model/contract/forbidden-defaults.ts';
import { type Problem, UNSUPPORTED } from '../problem.ts';
import type { Project } from '../project.ts';
import { slowPatterns } from './slow-patterns.ts';

/**
 * Returns all that the step `contract` of `check` reports before approvals: the problems of the generator, and those of
 * rules that only make sense for a complete document. Notes are about what these rules could not decide.
 */
export async function contractProblems(
  { contract }: Pick<Project, 'contract'>,
  { document, problems }: Pick<GeneratorOutput, 'document' | 'problems'>,
): Promise<Problem[]> {
  const own = problems.filter(({ code }) => code !== UNSUPPORTED);
  return document === undefined
    ? own
    : [
        ...own,
        ...(await slowPatterns(document, contract)),
        ...forbiddenDefaults(document, contract),
        ...emptySchemas(document, contract),
      ];
}
