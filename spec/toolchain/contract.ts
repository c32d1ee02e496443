import { access } from 'node:fs/promises';
import { BadInput } from './bad-input.ts';
import type { OpenApiDocument } from './document.ts';
import type { Problem } from './problem.ts';
import { generatedPaths, isTypeSpec, type Project, pathIn } from './project.ts';

/** What one reading of a contract gave. */
export interface Compiled {
  /** An OpenAPI 3.1 document; absent when there are errors. */
  document?: OpenApiDocument;
  /** Errors and warnings in the order of the sources. */
  problems: Problem[];
}

/** Reads one contract again and again; what can be kept between is kept. */
export interface ContractCompiler {
  /**
   * Reads what stands on disk now. Faults of the contract are problems, not exceptions.
   * @throws {BadInput} when there is no contract, or nothing here can read it
   */
  compile(): Promise<Compiled>;
}

/** A reader of the project's contract, TypeSpec or OpenAPI. */
export function createContractCompiler(project: Project): ContractCompiler {
  let reader: Promise<ContractCompiler> | undefined;
  return {
    async compile() {
      await access(pathIn(project, project.contract)).catch(() => {
        throw new BadInput(
          `There is no contract ${project.contract} in ${project.root}. ` +
            'Name one with --contract: a TypeSpec entry (.tsp), or an OpenAPI 3.0 or 3.1 document in JSON or YAML.',
        );
      });
      if (Object.values(generatedPaths(project)).includes(project.contract)) {
        throw new BadInput(
          `${project.contract} is where the generated document goes, so it would be written over. ` +
            'Keep the contract elsewhere, or name another folder with --generated.',
        );
      }
      reader ??= isTypeSpec(project) ? loadTypeSpec(project) : loadReader(project);
      return (await reader).compile();
    },
  };
}

async function loadReader(project: Project): Promise<ContractCompiler> {
  return (await import('./openapi-contract.ts')).createDocumentReader(project);
}

/** TypeSpec is loaded where a contract is written in it, and there alone: who has none need not install it. */
async function loadTypeSpec(project: Project): Promise<ContractCompiler> {
  try {
    return (await import('./compile.ts')).createTypeSpecCompiler(project);
  } catch (error) {
    const missing = /Cannot find package '(@typespec\/[^']+)'/.exec(String(error))?.[1];
    if (missing === undefined) throw error;
    throw new BadInput(
      `${project.contract} is TypeSpec, and ${missing} is not installed. Install what compiles it: ` +
        'npm install --save-dev @typespec/compiler @typespec/http @typespec/openapi @typespec/openapi3. ' +
        'A contract that is an OpenAPI document needs none of them.',
    );
  }
}
