import type { OpenApiDocument } from '../document.ts';
import type { Problem } from '../problem.ts';

/** Result of compiling a contract. */
export interface CompileResult {
  /** OpenAPI 3.1 document; omitted if there are errors. */
  document?: OpenApiDocument;
  /** Errors and warnings in the order of the sources. */
  problems: Problem[];
  /** Files of the contract that were read, relative to the root. */
  sources?: readonly string[];
}

/** Compiler of one contract, with caches between its runs. */
export interface ContractCompiler {
  /**
   * Compiles the current files. Errors of the contract are returned as problems, not thrown.
   * @throws {UsageError} if the contract is missing or unreadable
   */
  compile(): Promise<CompileResult>;
}
