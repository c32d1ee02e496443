import { access } from 'node:fs/promises';
import { SUPPORTED_VERSIONS } from '../documents/grammar.ts';
import { generatedPaths, isTypeSpec, type Project, pathIn } from '../project.ts';
import { UsageError } from '../usage-error.ts';
import type { ContractCompiler } from './compiler.ts';

/** Creates the compiler of a project's contract, for TypeSpec or OpenAPI. */
export function createContractCompiler(project: Project): ContractCompiler {
  let compiler: Promise<ContractCompiler> | undefined;
  return {
    async compile() {
      await access(pathIn(project, project.contract)).catch(() => {
        throw new UsageError(
          `Contract ${project.contract} does not exist in ${project.root}. ` +
            `Specify --contract: a TypeSpec entry file (.tsp), or a document of ${SUPPORTED_VERSIONS}, in JSON or YAML.`,
        );
      });
      if (Object.values(generatedPaths(project)).includes(project.contract)) {
        throw new UsageError(
          `Contract ${project.contract} would be overwritten by the generated document. ` +
            'Move the contract, or specify another folder with --generated.',
        );
      }
      compiler ??= isTypeSpec(project) ? loadTypeSpec(project) : loadDocumentReader(project);
      return (await compiler).compile();
    },
  };
}

async function loadDocumentReader(project: Project): Promise<ContractCompiler> {
  return (await import('./openapi-contract.ts')).createDocumentReader(project);
}

/** The TypeSpec compiler is loaded only for TypeSpec contracts, because it takes a second. */
async function loadTypeSpec(project: Project): Promise<ContractCompiler> {
  return (await import('./compile.ts')).createTypeSpecCompiler(project);
}
